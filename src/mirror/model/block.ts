/** Kinds of action on a document that a block can forbid. */
export type Intention = "push" | "merge" | "delete" | "move-remote" | "post";

/** Kinds of action on a folder that a block can forbid. */
export type FolderIntention = "move" | "make" | "remove";

/** Choices for a block: whose content wins, or what happens to the document. */
export type ResolutionKind = "mine" | "theirs" | "merged" | "keep" | "delete" | "recreate";

/** Facts about a reason for blocking. */
type ReasonFacts = {
  /**
   * `computed` blocks follow from the trees and are found again by each plan. `remembered` blocks
   * follow from an answer (a refusal) and stay, across restarts (I22), until their subject changes
   * or they are tried again.
   */
  readonly origin: "computed" | "remembered";
  /**
   * Work that the block leaves. `action-required`: the block ends when a person acts. `pending`:
   * the block ends by itself, and until then the sides differ. `none`: no work is left.
   */
  readonly work: "action-required" | "pending" | "none";
  /**
   * True if the block may end without an action of the user. While such a block exists, only whole
   * cycles make plans.
   */
  readonly endsByItself?: true;
  /**
   * True if the block waits for another scan that shows whether a file is gone: until then no file
   * counts as absent.
   */
  readonly waitsForScan?: true;
  /**
   * Actions that an earlier answer forbids. A refusal of one write forbids the other writes of the
   * same document too. A document has only one block: two refused requests would otherwise replace
   * each other's block, and be sent in turn forever (I16).
   */
  readonly forbids?: readonly Intention[];
  readonly forbidsOnFolder?: readonly FolderIntention[];
  /** Choices of `resolve` that end the block. Undefined: the block's message says how to end it. */
  readonly ways?: readonly ResolutionKind[];
};

const COMPUTED = { origin: "computed", work: "action-required" } as const;
const REMEMBERED = { origin: "remembered", work: "action-required" } as const;
const PENDING = { origin: "computed", work: "pending", endsByItself: true } as const;
const TEXT_FAULT = { ...COMPUTED, ways: ["theirs"] } as const;

const REASONS = {
  // reasons about entries that a side could not show
  "not-seen": { ...COMPUTED, endsByItself: true },
  "local-unreadable": { ...COMPUTED, endsByItself: true },
  "still-being-written": { ...PENDING, waitsForScan: true },
  /**
   * Several files may belong to the document, by equal evidence. The block ends when another file
   * appears or disappears, which only a whole cycle notices.
   */
  "ambiguous-file": { ...COMPUTED, endsByItself: true },
  "not-utf-8": TEXT_FAULT,
  "contains-nul": TEXT_FAULT,
  "too-large": TEXT_FAULT,
  // reasons about names and places
  "name-refused": COMPUTED,
  "name-clash": COMPUTED,
  "remote-name-unsafe": COMPUTED,
  "path-taken": COMPUTED,
  /**
   * On the service, another document has the wanted path. That document is missing in one local
   * scan so far, or is `path-pending` itself.
   */
  "path-pending": PENDING,
  "type-clash": COMPUTED,
  "renamed-out-of-mirror": { ...COMPUTED, ways: ["keep", "delete"] },
  "no-move-to-root": { ...REMEMBERED, forbids: ["move-remote"], forbidsOnFolder: ["move"], ways: ["recreate"] },
  "folder-blocked": COMPUTED,
  "occupied-unseen": { ...REMEMBERED, forbids: ["post", "move-remote"], forbidsOnFolder: ["move", "make"] },
  // reasons about grants, reviews and absences
  "read-only": {
    ...REMEMBERED,
    forbids: ["push", "post", "merge", "move-remote"],
    forbidsOnFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  "delete-refused": { ...REMEMBERED, forbids: ["delete"], forbidsOnFolder: ["remove"] },
  /**
   * A review keeps the document, or a document in the folder, until somebody decides in the web
   * app.
   */
  "delete-pending": { ...REMEMBERED, forbids: ["delete"], forbidsOnFolder: ["remove"] },
  /**
   * The service cannot delete folders: an empty folder that was deleted locally stays on the
   * service.
   */
  "folder-stays": { origin: "remembered", work: "none", forbidsOnFolder: ["remove"] },
  /**
   * The whole content was submitted, and a reviewer decides. Such a block is reported as in review,
   * not as an open problem.
   */
  "in-review": { origin: "computed", work: "none", ways: ["mine", "theirs"] },
  /**
   * In review because another edit was published: the sides differ until somebody decides in the
   * web app.
   */
  "review-conflict": { origin: "computed", work: "pending", ways: ["mine", "theirs"] },
  /**
   * The content is not sent yet. mdmirror waits until the content is unchanged for a while, so that
   * not every save becomes a review.
   */
  "review-delayed": { ...PENDING, ways: ["mine", "theirs"] },
  "review-unknown": { ...COMPUTED, ways: ["mine", "theirs"] },
  "gone-or-unreadable": { ...COMPUTED, ways: ["keep", "delete"] },
  outside: { ...COMPUTED, ways: ["keep", "delete"] },
  /** The user's ignore rules exclude the document, on both sides. */
  suspended: { origin: "computed", work: "none" },
  /** The sync has one direction only; the next sync of both directions carries the change out. */
  "direction-off": { origin: "computed", work: "none" },
  /** Somebody is editing the local file: the service's version does not replace it yet. */
  "in-use": PENDING,
  "second-scan": { ...PENDING, waitsForScan: true },
  // reasons about refusals
  refused: {
    ...REMEMBERED,
    forbids: ["push", "post", "merge", "delete", "move-remote"],
    forbidsOnFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  conflict: COMPUTED,
  "conflict-markers": { ...COMPUTED, ways: ["mine", "theirs", "merged"] },
} as const satisfies Record<string, ReasonFacts>;

/** Clauses for messages about a change that is not carried to the other side (`direction-off`). */
export const ONE_WAY_CLAUSES = { pull: "this sync only downloads", push: "this sync only uploads" } as const;

export type BlockReason = keyof typeof REASONS;

export const BLOCK_REASONS: Readonly<Record<BlockReason, ReasonFacts>> = REASONS;

/** Returns true if the block leaves work to do. */
export function isOpen(reason: BlockReason): boolean {
  return BLOCK_REASONS[reason].work !== "none";
}

export function needsUser(reason: BlockReason): boolean {
  return BLOCK_REASONS[reason].work === "action-required";
}

const IN_REVIEW: ReadonlySet<BlockReason> = new Set([
  "in-review",
  "review-conflict",
  "review-delayed",
  "review-unknown",
]);

/** Returns true if a version of the document is in review, or waits to be sent to review. */
export function isReview(reason: BlockReason): boolean {
  return IN_REVIEW.has(reason);
}

/** Returns true if a block comes from an earlier answer, and not from the trees. */
export function isRemembered({ reason }: { readonly reason: BlockReason }): boolean {
  return BLOCK_REASONS[reason].origin === "remembered";
}

/**
 * Returns true if one of these blocks waits for another scan, so that no file counts as absent yet.
 */
export function waitForScan(blocks: readonly { readonly reason: BlockReason }[]): boolean {
  return blocks.some(({ reason }) => BLOCK_REASONS[reason].waitsForScan === true);
}
