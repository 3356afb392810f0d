import { type ConflictReason, mergeText } from "../../../markdown/merge/merge.ts";
import { type LineBlock, mergeLines } from "../../../markdown/merge/lines.ts";
import { createReading } from "../../../markdown/merge/reading.ts";
import { type LineOrigin, findOrigins } from "../../../markdown/merge/origin.ts";
import { splitLines } from "../../../markdown/merge/split.ts";
import type { World } from "../../engine/run/world.ts";
import type { ThreeVersions } from "../../../markdown/merge/marked.ts";
import { makeLocalLookup } from "./as-on-disk.ts";
import { findRecordAt } from "./find-document.ts";
import type { MergeRow } from "./origins.ts";

/**
 * Result of comparing the two edits of a conflict.
 * - `merges`: the edits now merge without a conflict
 * - `no-base`: the version from which both edits started is no longer stored
 * - `whole`: the lines merge, but mdmirror refused the merged content as a whole
 * - `parts`: some lines conflict
 */
export type ConflictLines =
  | { readonly kind: "merges" }
  | { readonly kind: "no-base" }
  | { readonly kind: "whole"; readonly reason: ConflictReason }
  | { readonly kind: "parts"; readonly conflicts: number; readonly rows: readonly MergeRow[] };

type ConflictBlock = Extract<LineBlock, { kind: "conflict" }>;

/**
 * Compares the two edits of a conflict. Returns null if the document is not in conflict, or a side
 * has no content.
 */
export function readConflictLines(
  { state, disk }: Pick<World, "state" | "disk">,
  path: string,
  { live, local }: { readonly live: string | null; readonly local: string | null },
): { readonly base: string | null; readonly lines: ConflictLines } | null {
  const record = findRecordAt(state.load(), path);
  const conflict = record === null ? null : state.conflict(record.id);
  if (conflict === null || live === null || local === null) return null;
  const base = conflict.baseDigest === null ? "" : makeLocalLookup({ state, disk }, path).text(conflict.baseDigest);
  if (base === null) return { base, lines: { kind: "no-base" } };
  return { base, lines: compareEdits({ base, mine: local, theirs: live }) };
}

export function compareEdits({ base, mine, theirs }: ThreeVersions): ConflictLines {
  const mergeResult = mergeText(base, mine, theirs);
  if (mergeResult.kind === "clean") return { kind: "merges" };
  const blocks = mergeLines(base, mine, theirs, createReading());
  if (blocks === undefined || blocks.every(({ kind }) => kind === "settled"))
    return { kind: "whole", reason: mergeResult.reason };
  // Base's lines take the place of conflicting lines, so that other lines can be compared.
  const places = new Map<number, ConflictBlock>();
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.kind === "conflict") places.set(lines.length, block);
    lines.push(...(block.kind === "settled" ? splitLines(block.text) : block.base));
  }
  const rows = insertConflicts(findOrigins(base, mine, theirs, lines.join("")), places);
  return { kind: "parts", conflicts: places.size, rows };
}

/** @param places conflicts by the index, from 0, of the line at which each conflict begins */
function insertConflicts(rows: readonly LineOrigin[], places: ReadonlyMap<number, ConflictBlock>): MergeRow[] {
  const shownRows: MergeRow[] = [];
  let [line, standIns] = [0, 0];
  for (const row of rows) {
    if (row.kind === "removed") {
      shownRows.push(row);
      continue;
    }
    const block = places.get(line);
    shownRows.push(...listConflictRows(block));
    standIns += block?.base.length ?? 0;
    if (standIns > 0) standIns--;
    else shownRows.push(row);
    line++;
  }
  shownRows.push(...listConflictRows(places.get(line)));
  return shownRows;
}

function listConflictRows(block: ConflictBlock | undefined): MergeRow[] {
  if (block === undefined) return [];
  const { base, local: mine, remote: theirs } = block;
  return Object.entries({ base, mine, theirs }).flatMap(([of, lines]) =>
    lines.map((line) => ({ kind: "conflict" as const, of: of as "base" | "mine" | "theirs", line })),
  );
}
