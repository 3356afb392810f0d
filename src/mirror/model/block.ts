export type DocumentIntention = "push" | "merge" | "delete" | "move-remote" | "post";

export type FolderIntention = "move" | "make" | "remove";

export type ResolutionKind = "mine" | "theirs" | "merged" | "keep" | "delete" | "recreate";

type BlockReasonTraits = {
  /**
   * Origin of a block.
   * - `computed`: each plan finds the reason for the block in the trees.
   * - `remembered`: the service or the disk refused an action. The block survives restarts (I22),
   *   until the document changes or the action is repeated.
   */
  readonly origin: "computed" | "remembered";
  /**
   * Work while the block exists.
   * - `action-required`: somebody must act to end the block.
   * - `pending`: the block ends by itself, but the sides differ until then.
   * - `none`: nothing has to be done.
   */
  readonly work: "action-required" | "pending" | "none";
  /**
   * True if another scan must confirm that a file is gone. Before that scan, no missing file counts
   * as deleted.
   */
  readonly waitsForScan?: true;
  /**
   * Actions that the block forbids. A refused write forbids all other writes of the document too,
   * because a document has only one block (I16). Otherwise two refused requests would replace each
   * other's block, and mdmirror would send both again and again.
   */
  readonly forbids?: readonly DocumentIntention[];
  readonly forbidsOnFolder?: readonly FolderIntention[];
  /** Choices of `mdmirror resolve` that end the block; undefined without such a choice. */
  readonly ways?: readonly ResolutionKind[];
};

const COMPUTED_BLOCK = { origin: "computed", work: "action-required" } as const;
const REMEMBERED_BLOCK = { origin: "remembered", work: "action-required" } as const;
const PENDING_BLOCK = { origin: "computed", work: "pending" } as const;
const TEXT_FAULT_BLOCK = { ...COMPUTED_BLOCK, ways: ["theirs"] } as const;

const REASON_TRAITS = {
  // Blocks of files and documents that a scan or a listing did not show, or whose content cannot be
  // synced.
  "not-seen": COMPUTED_BLOCK,
  "local-unreadable": COMPUTED_BLOCK,
  "still-being-written": { ...PENDING_BLOCK, waitsForScan: true },
  "ambiguous-file": COMPUTED_BLOCK,
  "not-utf-8": TEXT_FAULT_BLOCK,
  "contains-nul": TEXT_FAULT_BLOCK,
  "too-large": TEXT_FAULT_BLOCK,
  // Blocks because of names and places.
  "name-refused": COMPUTED_BLOCK,
  "name-clash": COMPUTED_BLOCK,
  "remote-name-unsafe": COMPUTED_BLOCK,
  "path-taken": COMPUTED_BLOCK,
  /**
   * The document needs a path that another document on the service still has, but will probably
   * leave. The local file of that other document is missing, or the other document waits for
   * another path.
   */
  "path-pending": PENDING_BLOCK,
  "type-clash": COMPUTED_BLOCK,
  "renamed-out-of-mirror": { ...COMPUTED_BLOCK, ways: ["keep", "delete"] },
  "no-move-to-root": { ...REMEMBERED_BLOCK, forbids: ["move-remote"], forbidsOnFolder: ["move"], ways: ["recreate"] },
  "folder-blocked": COMPUTED_BLOCK,
  "occupied-unseen": { ...REMEMBERED_BLOCK, forbids: ["post", "move-remote"], forbidsOnFolder: ["move", "make"] },
  // Blocks because of grants, reviews and absences.
  "read-only": {
    ...REMEMBERED_BLOCK,
    forbids: ["push", "post", "merge", "move-remote"],
    forbidsOnFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  "delete-refused": { ...REMEMBERED_BLOCK, forbids: ["delete"], forbidsOnFolder: ["remove"] },
  /**
   * The service refuses the deletion of an item while changes are in review, until somebody decides
   * about these changes in the web app.
   */
  "delete-pending": { ...REMEMBERED_BLOCK, forbids: ["delete"], forbidsOnFolder: ["remove"] },
  /** The service cannot delete folders, so the empty folder stays on the service. */
  "folder-stays": { origin: "remembered", work: "none", forbidsOnFolder: ["remove"] },
  /** All local changes are in review. Reports do not list this block as a problem. */
  "in-review": { origin: "computed", work: "none", ways: ["mine", "theirs"] },
  /**
   * The content in review conflicts with another published edit. The sides differ until somebody
   * decides in the web app.
   */
  "review-conflict": { ...PENDING_BLOCK, ways: ["mine", "theirs"] },
  /**
   * mdmirror sends the content to review after it has not changed for some time, not at every save.
   */
  "review-delayed": { ...PENDING_BLOCK, ways: ["mine", "theirs"] },
  "review-unknown": { ...COMPUTED_BLOCK, ways: ["mine", "theirs"] },
  "gone-or-unreadable": { ...COMPUTED_BLOCK, ways: ["keep", "delete"] },
  outside: { ...COMPUTED_BLOCK, ways: ["keep", "delete"] },
  suspended: { origin: "computed", work: "none" },
  /** This sync had only one direction. The next sync in both directions makes the change. */
  "direction-off": { origin: "computed", work: "none" },
  /** Somebody is editing the local file, so the service's version does not replace the file yet. */
  "in-use": PENDING_BLOCK,
  "second-scan": { ...PENDING_BLOCK, waitsForScan: true },
  // Blocks because the service or the disk refused an action.
  refused: {
    ...REMEMBERED_BLOCK,
    forbids: ["push", "post", "merge", "delete", "move-remote"],
    forbidsOnFolder: ["move", "make", "remove"],
    ways: ["mine", "theirs"],
  },
  conflict: COMPUTED_BLOCK,
  "conflict-markers": { ...COMPUTED_BLOCK, ways: ["mine", "theirs", "merged"] },
} as const satisfies Record<string, BlockReasonTraits>;

export const ONE_WAY_SYNC_CLAUSES = { pull: "this sync only downloads", push: "this sync only uploads" } as const;

export type BlockReason = keyof typeof REASON_TRAITS;

export const BLOCK_REASONS: Readonly<Record<BlockReason, BlockReasonTraits>> = REASON_TRAITS;

export function hasOpenWork(reason: BlockReason): boolean {
  return BLOCK_REASONS[reason].work !== "none";
}

export function needsUser(reason: BlockReason): boolean {
  return BLOCK_REASONS[reason].work === "action-required";
}

const REVIEW_REASONS: ReadonlySet<BlockReason> = new Set([
  "in-review",
  "review-conflict",
  "review-delayed",
  "review-unknown",
]);

export function isReviewReason(reason: BlockReason): boolean {
  return REVIEW_REASONS.has(reason);
}

/** Returns true if a refusal caused the block; false if each plan finds the reason in the trees. */
export function isRememberedBlock({ reason }: { readonly reason: BlockReason }): boolean {
  return BLOCK_REASONS[reason].origin === "remembered";
}

/**
 * Returns true if one of the blocks waits for a second scan. Before that scan, no missing file
 * counts as deleted.
 */
export function isAnyWaitingForScan(blocks: readonly { readonly reason: BlockReason }[]): boolean {
  return blocks.some(({ reason }) => BLOCK_REASONS[reason].waitsForScan === true);
}
