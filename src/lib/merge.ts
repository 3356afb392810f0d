/** Entry point `mdmirror/merge`: three-way merge of Markdown. All functions are pure. */

import { explainMerge as explainTexts } from "../markdown/merge/explain.ts";
import { markConflicts, DEFAULT_MARKER_SIZE } from "../markdown/merge/marked.ts";
import { mergeText } from "../markdown/merge/merge.ts";
import { findOrigins } from "../markdown/merge/origin.ts";

/**
 * Three versions of a document. `base` is the version before both edits; "" if there was no such
 * version.
 */
export type Texts = { readonly base: string; readonly mine: string; readonly theirs: string };

/** Lines at which the two edits do not merge. Line numbers start at 1 in each version. */
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
       * Reason for the conflict:
       * - `overlap`: both edits changed the same lines.
       * - `too-large`: the versions differ too much to be compared in limited time.
       * - `word-count`: the merged version would have lost or doubled words.
       * - `unsound`: the merged version would be worse Markdown than both edits.
       * - `unstable`: the merged version would lack an edit, or would have the edit in another part
       *   of the document.
       */
      readonly reason: "overlap" | "too-large" | "word-count" | "unsound" | "unstable";
      /** Conflicts in the order of the document; at least one. */
      readonly conflicts: readonly MergeConflict[];
    };

/**
 * Origin of a line or piece: the side that added or removed the line or piece.
 * - `base`: neither side
 * - `both`: both edits made the same change
 * - `mixed`: parts of the line come from different sides
 * - `none`: no version has these words nearby
 */
export type Whose = "base" | "mine" | "theirs" | "both" | "mixed" | "none";

/**
 * Origin of a line of the merged version, or of a removed line of base. `line` includes the line
 * feed.
 */
export type LineOrigin = {
  readonly kind: "kept" | "added" | "removed";
  readonly from: Whose;
  readonly line: string;
  /** Pieces of a `mixed` line, in order; empty for any other line. */
  readonly words: readonly { readonly from: Whose; readonly text: string }[];
};

/**
 * A word or symbol with the white space before it, as each version spells it. A version that lacks
 * the word has null. The number of a list item, heading or table row counts as white space.
 */
export type MergePiece = {
  readonly base: string | null;
  readonly mine: string | null;
  readonly theirs: string | null;
  readonly merged: string | null;
};

export type MergeExplanation = {
  /**
   * The three versions as they were compared. If both edits changed a date in the front matter,
   * such as `updated`, `mine` and `theirs` both have the later date. Otherwise, these are the
   * versions of the input.
   */
  readonly texts: Texts;
  readonly lines: readonly {
    /** Number of the line in the merged version, from 1; null for a removed line. */
    readonly line: number | null;
    /** Side that made the line. `joined`: words of several edits made the line. */
    readonly rule: "kept" | "mine" | "theirs" | "both" | "joined";
    readonly pieces: readonly MergePiece[];
  }[];
};

/**
 * Merges two edits of a base. Never loses a word of either side: returns a conflict if the merged
 * version could be wrong.
 */
export function mergeMarkdown({ base, mine, theirs }: Texts): MergeResult {
  const mergeResult = mergeText(base, mine, theirs);
  if (mergeResult.kind === "clean") return { kind: "clean", text: mergeResult.text };
  const conflicts = mergeResult.hunks.map((hunk) => ({
    base: hunk.base,
    mine: hunk.local,
    theirs: hunk.remote,
    baseLine: hunk.baseLine + 1,
    mineLine: hunk.localLine + 1,
    theirsLine: hunk.remoteLine + 1,
  }));
  return { kind: "conflict", reason: mergeResult.reason, conflicts };
}

/**
 * Returns both edits in one document, with git's markers (`<<<<<<<`, `|||||||`, `=======`,
 * `>>>>>>>`) around each conflict. If there is no conflict, returns the merged version.
 * @param markerSize number of characters in a marker, at least 1; git uses 7
 */
export function mergeWithMarkers(texts: Texts, markerSize: number = DEFAULT_MARKER_SIZE): string {
  return markConflicts(texts, markerSize);
}

/**
 * Returns the origin of each line of a merged version, and of each line that was removed from base.
 * The kept and added lines form the merged version; the kept and removed lines form base.
 */
export function lineOrigins({ base, mine, theirs }: Texts, merged: string): LineOrigin[] {
  return findOrigins(base, mine, theirs, merged);
}

/**
 * Explains a merged version word by word. Returns null if the versions differ too much to be
 * compared, or if the merged version is not a merge of the two edits.
 */
export function explainMerge({ base, mine, theirs }: Texts, merged: string): MergeExplanation | null {
  const explanation = explainTexts(base, mine, theirs, merged);
  if (explanation === null) return null;
  const [was, local, remote] = explanation.texts;
  const lines = explanation.lines.map(({ line, rule, pieces }) => ({
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
