import { explainMerge as explainTexts } from "../markdown/merge/explain.ts";
import { markedMerge, USUAL_MARKERS } from "../markdown/merge/marked.ts";
import { mergeText } from "../markdown/merge/merge.ts";
import { type Origin, originsOf } from "../markdown/merge/origin.ts";

/**
 * `import … from "mdmirror/merge"`: the three-way merge of Markdown. Pure: no files, no network.
 */

/** The three versions. `base`: the version before both edits; "" if there was none. */
export type Texts = { readonly base: string; readonly mine: string; readonly theirs: string };

/** A place where the two edits do not merge. Lines count from 1, in each version. */
export type MergeConflict = Texts & {
  readonly baseLine: number;
  readonly mineLine: number;
  readonly theirsLine: number;
};

export type MergeResult =
  | {
      readonly kind: "clean";
      readonly text: string;
    }
  | {
      readonly kind: "conflict";
      /**
       * `overlap`: both changed one place; `too-large`: the texts differ too much to be compared
       * within bounds; the others: the result would have lost or doubled words, would have been
       * worse Markdown than both, or would not hold what each side did.
       */
      readonly reason: "overlap" | "too-large" | "word-count" | "unsound" | "unstable";
      /** At least one, in the order of the content. */
      readonly conflicts: readonly MergeConflict[];
    };

/** Side of something. `mixed`: words of both; `none`: of no side. */
export type Whose = "base" | "mine" | "theirs" | "both" | "mixed" | "none";

/** A line of a merge, with its line feed: kept from base, added to it, or removed from it. */
export type LineOrigin = {
  readonly kind: "kept" | "added" | "removed";
  readonly from: Whose;
  readonly line: string;
  /** Of a `mixed` line its pieces, in their order; else empty. */
  readonly words: readonly { readonly from: Whose; readonly text: string }[];
};

/**
 * A word or mark with the white space before it, as each text has it; null in a text without it.
 * The number of an item, heading or row counts as white space.
 */
export type MergePiece = {
  readonly base: string | null;
  readonly mine: string | null;
  readonly theirs: string | null;
  readonly merged: string | null;
};

/** Way in which a merge was made. */
export type MergeExplanation = {
  /** The three texts with later dates, and with numbers and columns that fit. */
  readonly texts: Texts;
  readonly lines: readonly {
    /** The line of the merged text, from 1; null: lines that were removed. */
    readonly line: number | null;
    /** Whose change made the line; `joined`: words of several changes. */
    readonly rule: "kept" | "mine" | "theirs" | "both" | "joined";
    readonly pieces: readonly MergePiece[];
  }[];
};

/**
 * Merges what two sides each did to base. Deterministic, and bounded in cost by the texts alone; a
 * merge that could be wrong is a conflict, and no word of either side is ever lost in a clean one.
 */
export function mergeMarkdown({ base, mine, theirs }: Texts): MergeResult {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") return { kind: "clean", text: merged.text };
  const conflicts = merged.hunks.map((hunk) => ({
    base: hunk.base,
    mine: hunk.local,
    theirs: hunk.remote,
    baseLine: hunk.baseLine + 1,
    mineLine: hunk.localLine + 1,
    theirsLine: hunk.remoteLine + 1,
  }));
  return { kind: "conflict", reason: merged.reason, conflicts };
}

/**
 * The two edits in one text, with git's markers (`<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`) where
 * they do not go together; without any where they do.
 * @param markerSize characters of a marker, from 1; git's own are 7
 */
export function mergeWithMarkers(texts: Texts, markerSize: number = USUAL_MARKERS): string {
  return markedMerge(texts, markerSize);
}

/**
 * Tells for each line of a merged text whose it is, and who removed what base had: by comparing the
 * texts, whatever made the merge. Lines kept or added, joined, are the merged text; kept or
 * removed, base.
 */
export function lineOrigins({ base, mine, theirs }: Texts, merged: string): LineOrigin[] {
  return originsOf(base, mine, theirs, merged).map(({ kind, from, line, words }) => ({
    kind,
    from: WHOSE[from],
    line,
    words: words.map((word) => ({ from: WHOSE[word.from], text: word.text })),
  }));
}

/**
 * Explains a merged text by the words and marks of all four texts. Null where the texts differ too
 * much, or where the merged text is no merge of the sides.
 */
export function explainMerge({ base, mine, theirs }: Texts, merged: string): MergeExplanation | null {
  const explained = explainTexts(base, mine, theirs, merged);
  if (explained === null) return null;
  const [was, local, remote] = explained.texts;
  const lines = explained.lines.map(({ line, rule, pieces }) => ({
    line,
    rule: rule === "local" ? ("mine" as const) : rule === "remote" ? ("theirs" as const) : rule,
    pieces: pieces.map((piece) => ({
      base: piece.base,
      mine: piece.local,
      theirs: piece.remote,
      merged: piece.result,
    })),
  }));
  return { texts: { base: was, mine: local, theirs: remote }, lines };
}

const WHOSE: Readonly<Record<Origin["from"] | Origin["words"][number]["from"], Whose>> = {
  base: "base",
  local: "mine",
  remote: "theirs",
  both: "both",
  mixed: "mixed",
  none: "none",
};
