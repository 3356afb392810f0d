/** Types of the calls about several documents. */

/** Result for several documents, as one run. */
export type DoneMany = {
  /** Null if there was nothing to do. */
  readonly run: number | null;
  readonly items: readonly {
    readonly path: string;
    /** `left`: not tried. `failed`: tried and not done; nothing was lost. */
    readonly end: "done" | "left" | "failed";
    /** Reason why it was not done, as a clause; "" if it was. */
    readonly why: string;
    readonly notes: readonly string[];
  }[];
};

/** Choices for several conflicts and blocks. */
export type ManyChoice = {
  readonly kind: "mine" | "theirs" | "merged-where-clean";
  readonly force?: boolean;
};
