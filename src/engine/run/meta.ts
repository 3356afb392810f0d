/** What the state keeps beside its rows, by name. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  approvedAt: "approved.at",
  halt: "halt",
  quiet: "review.quiet",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
  /**
   * Reasons to stop that somebody approved and that are still there, which would halt each run
   * anew; until they are not.
   */
  waived: "approved.waived",
  /** Conflicts that were opened before a flood of them halted: they count until that halt ends. */
  flood: "conflicts.flood",
  /** Sides that were found emptied (`local`, `remote`), until nothing of that is pending. */
  emptied: "emptied",
} as const;
