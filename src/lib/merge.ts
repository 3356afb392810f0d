/**
 * `import … from "mdmirror/merge"`: merges three versions of Markdown. Pure: no files, no network.
 */

import { explainMerge as explainTexts } from "../markdown/merge/explain.ts";
import { markConflicts, DEFAULT_MARKER_SIZE } from "../markdown/merge/marked.ts";
import { mergeText } from "../markdown/merge/merge.ts";
import { originsOf } from "../markdown/merge/origin.ts";

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
       * Reason for the conflict. `overlap`: both edits changed one place; `too-large`: the texts
       * differ too much to be compared within limits. The result would have lost or doubled words
       * (`word-count`), would be worse Markdown than both (`unsound`), or would lack an edit of a
       * side (`unstable`).
       */
      readonly reason: "overlap" | "too-large" | "word-count" | "unsound" | "unstable";
      /** Conflicts in the order of the content, at least one. */
      readonly conflicts: readonly MergeConflict[];
    };

/** Side from which a line or piece comes. `mixed`: words of both sides; `none`: of no side. */
export type Whose = "base" | "mine" | "theirs" | "both" | "mixed" | "none";

/** A line of a merge, with its line feed: kept from base, added to it, or removed from it. */
export type LineOrigin = {
  readonly kind: "kept" | "added" | "removed";
  readonly from: Whose;
  readonly line: string;
  /** Pieces of a `mixed` line, in order; empty for other lines. */
  readonly words: readonly { readonly from: Whose; readonly text: string }[];
};

/**
 * A word or symbol with the white space before it, in each text; null in a text that lacks it. The
 * number of an item, heading or row counts as white space.
 */
export type MergePiece = {
  readonly base: string | null;
  readonly mine: string | null;
  readonly theirs: string | null;
  readonly merged: string | null;
};

/** Explanation of a merge, line by line. */
export type MergeExplanation = {
  /**
   * The three texts as they were compared: dates that differ are made equal, and item numbers and
   * table columns are made to match.
   */
  readonly texts: Texts;
  readonly lines: readonly {
    /** Number of the line in the merged text, from 1; null for removed lines. */
    readonly line: number | null;
    /** Side whose change made the line; `joined`: words of several changes. */
    readonly rule: "kept" | "mine" | "theirs" | "both" | "joined";
    readonly pieces: readonly MergePiece[];
  }[];
};

/**
 * Merges the edits of both sides to base. Deterministic, with a cost limited by the texts alone. A
 * merge that could be wrong is a conflict, and a clean merge never loses a word of either side.
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
 * Returns both edits in one text, with git's markers (`<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`)
 * around conflicts. If both edits merge, the text has no markers.
 * @param markerSize characters of a marker, from 1; git's own have 7
 */
export function mergeWithMarkers(texts: Texts, markerSize: number = DEFAULT_MARKER_SIZE): string {
  return markConflicts(texts, markerSize);
}

/**
 * Returns the side of each line of a merged text, and the side that removed each line of base. Only
 * the texts are compared, not the way in which they were merged. The kept and added lines, joined,
 * are the merged text; the kept and removed lines are base.
 */
export function lineOrigins({ base, mine, theirs }: Texts, merged: string): LineOrigin[] {
  return originsOf(base, mine, theirs, merged);
}

/**
 * Explains a merged text by the words and symbols of all four texts. Returns null if the texts
 * differ too much, or if the merged text is not a merge of the sides.
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
