/** Finds which side each line of a merged version comes from, by comparing the contents. */

import type { Digest } from "../../../contract/digest.ts";
import { type LineOrigin, findOrigins } from "../../../markdown/merge/origin.ts";
import { type Hunk, groupIntoHunks } from "../../../markdown/merge/line-diff.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";

/**
 * A merge in the log, with the digests of the three versions and of the result. `at`: milliseconds
 * since the epoch.
 */
export type RecordedMerge = {
  readonly at: number;
  readonly base: Digest;
  readonly mine: Digest;
  readonly theirs: Digest;
  readonly result: Digest;
};

export function readMerge({ kind, at, before, after, merged }: MirrorEvent): RecordedMerge | null {
  if (merged === null || before === null || after === null) return null;
  // In this conflict, the user chose one side, so nothing was merged.
  if (kind === "end-conflict" && (after === before || after === merged.theirs)) return null;
  return { at, base: merged.base, mine: before, theirs: merged.theirs, result: after };
}

/** Side of each line; unknown if one of the merged contents (`gone`) is no longer stored. */
export type MergeOrigins =
  | { readonly kind: "found"; readonly rows: readonly LineOrigin[] }
  | { readonly kind: "gone"; readonly gone: readonly ("base" | "mine" | "theirs" | "result")[] };

export function readOrigins(state: Pick<State, "text">, merge: RecordedMerge): MergeOrigins {
  const names = ["base", "mine", "theirs", "result"] as const;
  const contents = names.map((name) => state.text(merge[name]));
  const missingContents = names.filter((_, index) => contents[index] === null);
  if (missingContents.length > 0) return { kind: "gone", gone: missingContents };
  return { kind: "found", rows: findOrigins(...(contents as [string, string, string, string])) };
}

export type MergeRow =
  | LineOrigin
  | { readonly kind: "conflict"; readonly of: "base" | "mine" | "theirs"; readonly line: string };

/**
 * Side that a line comes from.
 * - `neither`: the merge removed the line, although both sides have it
 * - `base`: the line is in a conflict, and comes from the version with which both edits began
 */
type LineOwner = "base" | "mine" | "theirs" | "both" | "mixed" | "neither";

/**
 * Consecutive lines of the same kind and side, without their content. `line`: number of the first
 * line, from 1. For removed lines, and for base's lines in a conflict, the number counts lines of
 * base; for all other lines, lines of the result.
 */
type OriginSpan = {
  readonly kind: "added" | "removed" | "conflict";
  readonly from: LineOwner;
  readonly line: number;
  readonly count: number;
};

export function listOriginSpans(rows: readonly MergeRow[]): OriginSpan[] {
  const spans: (OriginSpan & { count: number })[] = [];
  let [baseLine, resultLine] = [1, 1];
  for (const row of rows) {
    const line = isResultLine(row) ? resultLine : baseLine;
    if (isBaseLine(row)) baseLine++;
    if (isResultLine(row)) resultLine++;
    if (row.kind === "kept") continue;
    const lineOwner = readOwner(row);
    const lastSpan = spans.at(-1);
    const continuesSpan =
      lastSpan?.kind === row.kind && lastSpan.from === lineOwner && lastSpan.line + lastSpan.count === line;
    if (continuesSpan) lastSpan.count++;
    else spans.push({ kind: row.kind, from: lineOwner, line, count: 1 });
  }
  return spans;
}

function readOwner(row: MergeRow): LineOwner {
  if (row.kind === "conflict") return row.of;
  return row.from === "base" ? "neither" : row.from;
}

function isBaseLine(row: MergeRow): boolean {
  return row.kind === "conflict" ? row.of === "base" : row.kind !== "added";
}

function isResultLine(row: MergeRow): boolean {
  return row.kind === "conflict" ? row.of !== "base" : row.kind !== "removed";
}

/** Groups the lines of a merge into hunks of a diff. Each line of a conflict counts as changed. */
export function makeOriginHunks(rows: readonly MergeRow[]): Hunk<MergeRow>[] {
  return groupIntoHunks(rows, isBaseLine, isResultLine);
}

/** A merge for programs, without content. `origins` is null if the sides are not known. */
export type MergeFacts = RecordedMerge & {
  readonly gone: readonly string[];
  readonly origins: readonly OriginSpan[] | null;
};

export function collectMergeFacts(merge: RecordedMerge, origins: MergeOrigins): MergeFacts {
  return origins.kind === "gone"
    ? { ...merge, gone: origins.gone, origins: null }
    : { ...merge, gone: [], origins: listOriginSpans(origins.rows) };
}
