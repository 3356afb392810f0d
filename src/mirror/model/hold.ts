/** What an action on a document would do, for judging whether an earlier answer forbids it. */
export type Intention = "push" | "pull" | "merge" | "delete" | "trash" | "move-remote" | "move-local" | "post";

/** The same for a folder. */
export type FolderIntention = "move" | "make" | "remove";

/** How a person may end a hold: whose text counts, or what becomes of the document. */
export type WayKind = "mine" | "theirs" | "merged" | "keep" | "delete" | "recreate";

/** All that is true of a hold's reason. */
type ReasonFacts = {
  /**
   * `computed` holds follow from the trees and are found anew by each plan; `remembered` holds
   * follow from an answer (a refusal) and stay, across restarts (I22), until what they are about
   * changes or they are tried again.
   */
  readonly kept: "computed" | "remembered";
  /**
   * Whether something is left to do while it stands. `needs-you`: it ends when a person does
   * something. `waits`: it ends by itself, and until then the sides are not equal. `no`: the mirror
   * has done all there is to do, and nothing is owed.
   */
  readonly open: "needs-you" | "waits" | "no";
  /** Whether time alone may end it. While there is such a hold, only whole passes judge. */
  readonly passes?: true;
  /**
   * Whether it waits for another look to tell if a file is gone: no absence is judged until then.
   */
  readonly undecided?: true;
  /**
   * What an earlier answer forbids. A refusal of one write forbids the row's other writes too: a
   * row has one hold only, and two refusals that replaced each other would be sent again in turn
   * for ever (I16).
   */
  readonly stops?: readonly Intention[];
  readonly stopsFolder?: readonly FolderIntention[];
  /** How `resolve` may end it. None: its message says how it ends. */
  readonly ways?: readonly WayKind[];
};

const COMPUTED = { kept: "computed", open: "needs-you" } as const;
const REMEMBERED = { kept: "remembered", open: "needs-you" } as const;
const WAITS = { kept: "computed", open: "waits", passes: true } as const;
const TEXT_FAULT = { ...COMPUTED, ways: ["theirs"] } as const;

const REASONS = {
  // what a side could not show
  "not-seen": { ...COMPUTED, passes: true },
  "local-unreadable": { ...COMPUTED, passes: true },
  "still-being-written": { ...WAITS, undecided: true },
  /**
   * Several files may be the document, by equal evidence. It ends when another file comes or goes,
   * so only whole passes judge.
   */
  "ambiguous-file": { ...COMPUTED, passes: true },
  "not-utf-8": TEXT_FAULT,
  "contains-nul": TEXT_FAULT,
  "too-large": TEXT_FAULT,
  "remote-text-unfit": { ...REMEMBERED, stops: ["pull", "merge"] },
  // names and places
  "name-refused": COMPUTED,
  "name-clash": COMPUTED,
  "remote-name-unsafe": COMPUTED,
  "path-taken": COMPUTED,
  "type-clash": COMPUTED,
  "renamed-out-of-mirror": { ...COMPUTED, ways: ["keep", "delete"] },
  "no-move-to-root": { ...REMEMBERED, stops: ["move-remote"], stopsFolder: ["move"], ways: ["recreate"] },
  "folder-blocked": COMPUTED,
  "occupied-unseen": { ...REMEMBERED, stops: ["post", "move-remote"], stopsFolder: ["move", "make"] },
  // grants, reviews, absences
  "read-only": {
    ...REMEMBERED,
    stops: ["push", "post", "merge", "move-remote"],
    stopsFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  "delete-refused": { ...REMEMBERED, stops: ["delete"], stopsFolder: ["remove"] },
  /** A review pins the document, or one in the folder, until somebody decides in the app. */
  "delete-pending": { ...REMEMBERED, stops: ["delete"], stopsFolder: ["remove"] },
  /** The service has no way to delete folders: an empty one that went here stays there. */
  "folder-stays": { kept: "remembered", open: "no", stopsFolder: ["remove"] },
  /**
   * The whole text was handed over, and a reviewer decides. It is reported as in review, not as
   * something open.
   */
  "in-review": { kept: "computed", open: "no", ways: ["mine", "theirs"] },
  /** In review because another edit is live: the sides differ until somebody decides in the app. */
  "review-conflict": { kept: "computed", open: "waits", ways: ["mine", "theirs"] },
  /** Not sent yet: it waits until the text rests, so that not every save becomes a review. */
  "review-delayed": { ...WAITS, ways: ["mine", "theirs"] },
  "review-unknown": { ...COMPUTED, ways: ["mine", "theirs"] },
  "gone-or-unreadable": { ...COMPUTED, ways: ["keep", "delete"] },
  outside: { ...COMPUTED, ways: ["keep", "delete"] },
  /** The user's own ignore rules exclude it, on both sides. */
  suspended: { kept: "computed", open: "no" },
  /** The user asked for one direction only; the next sync of both directions carries it out. */
  "direction-off": { kept: "computed", open: "no" },
  /** Somebody has the file in hand here: the service's text is not written over it yet. */
  "in-use": WAITS,
  "second-scan": { ...WAITS, undecided: true },
  // refusals
  refused: {
    ...REMEMBERED,
    stops: ["push", "post", "merge", "delete", "move-remote"],
    stopsFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  conflict: COMPUTED,
  "conflict-markers": { ...COMPUTED, ways: ["mine", "theirs", "merged"] },
} as const satisfies Record<string, ReasonFacts>;

export type HoldReason = keyof typeof REASONS;

/** What is true of each reason, by its name. */
export const HOLD_REASONS: Readonly<Record<HoldReason, ReasonFacts>> = REASONS;

/** Whether the hold leaves something to do. */
export function isOpen(reason: HoldReason): boolean {
  return HOLD_REASONS[reason].open !== "no";
}

export function needsYou(reason: HoldReason): boolean {
  return HOLD_REASONS[reason].open === "needs-you";
}

/** Whether a hold comes from an earlier answer, and not from the trees. */
export function isRemembered({ reason }: { readonly reason: HoldReason }): boolean {
  return HOLD_REASONS[reason].kept === "remembered";
}

/** Whether one of these holds waits for another look, so that absences are not judged yet. */
export function leavesUndecided(holds: readonly { readonly reason: HoldReason }[]): boolean {
  return holds.some(({ reason }) => HOLD_REASONS[reason].undecided === true);
}
