/** What the calls about many documents at once take and give. */

/** What became of several documents, as one run. */
export type DoneMany = {
  /** null: nothing was to be done. */
  readonly run: number | null;
  readonly items: readonly {
    readonly path: string;
    /** `left`: not tried. `failed`: tried, and not done; nothing of it was lost. */
    readonly end: "done" | "left" | "failed";
    /** Why it was not done, as a clause; "": it was. */
    readonly why: string;
    readonly notes: readonly string[];
  }[];
};

/** The choices that can be about many conflicts and holds at once. */
export type ManyChoice = {
  readonly kind: "mine" | "theirs" | "merged-where-clean";
  readonly force?: boolean;
};
