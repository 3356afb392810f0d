/** Compares the two edits of a document in conflict. */

import { type ConflictReason, mergeText } from "../../../markdown/merge/merge.ts";
import { type LineBlock, mergeLines } from "../../../markdown/merge/lines.ts";
import { newReading } from "../../../markdown/merge/reading.ts";
import { type Origin, originsOf } from "../../../markdown/merge/origin.ts";
import { splitLines } from "../../../markdown/merge/split.ts";
import type { World } from "../../engine/run/world.ts";
import type { ThreeTexts } from "../../../markdown/merge/marked.ts";
import { localTexts } from "./as-on-disk.ts";
import { recordAt } from "./find-document.ts";
import type { MergeRow } from "./origins.ts";

/**
 * Parts of two edits that merge and parts that do not. `whole`: no lines conflict, but the result
 * was refused. `no-base`: the common base is no longer kept.
 */
export type ConflictLines =
  | { readonly kind: "merges" }
  | { readonly kind: "no-base" }
  | { readonly kind: "whole"; readonly reason: ConflictReason }
  | { readonly kind: "parts"; readonly conflicts: number; readonly rows: readonly MergeRow[] };

type ConflictBlock = Extract<LineBlock, { kind: "conflict" }>;

/**
 * Reads the base of a document in conflict, and compares both edits with it; null if the document
 * is not in conflict, or a side has no content.
 */
export function readConflictLines(
  { state, disk }: Pick<World, "state" | "disk">,
  path: string,
  { live, local }: { readonly live: string | null; readonly local: string | null },
): { readonly base: string | null; readonly lines: ConflictLines } | null {
  const record = recordAt(state.load(), path);
  const conflict = record === null ? null : state.conflict(record.id);
  if (conflict === null || live === null || local === null) return null;
  const base = conflict.baseDigest === null ? "" : localTexts({ state, disk }, path).text(conflict.baseDigest);
  if (base === null) return { base, lines: { kind: "no-base" } };
  return { base, lines: compareEdits({ base, mine: local, theirs: live }) };
}

/** Compares two edits line by line. */
export function compareEdits({ base, mine, theirs }: ThreeTexts): ConflictLines {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") return { kind: "merges" };
  const blocks = mergeLines(base, mine, theirs, newReading());
  if (blocks === undefined || blocks.every(({ kind }) => kind === "settled"))
    return { kind: "whole", reason: merged.reason };
  // Base replaces the conflicting lines, so that the lines around the conflict are compared with
  // their original.
  const places = new Map<number, ConflictBlock>();
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.kind === "conflict") places.set(lines.length, block);
    lines.push(...(block.kind === "settled" ? splitLines(block.text) : block.base));
  }
  const rows = withConflicts(originsOf(base, mine, theirs, lines.join("")), places);
  return { kind: "parts", conflicts: places.size, rows };
}

/** @param places the conflicts, by the 0-based row at which each begins */
function withConflicts(rows: readonly Origin[], places: ReadonlyMap<number, ConflictBlock>): MergeRow[] {
  const shown: MergeRow[] = [];
  let [line, standIns] = [0, 0];
  for (const row of rows) {
    if (row.kind === "removed") {
      shown.push(row);
      continue;
    }
    const block = places.get(line);
    shown.push(...conflictRows(block));
    standIns += block?.base.length ?? 0;
    if (standIns > 0) standIns--;
    else shown.push(row);
    line++;
  }
  shown.push(...conflictRows(places.get(line)));
  return shown;
}

function conflictRows(block: ConflictBlock | undefined): MergeRow[] {
  if (block === undefined) return [];
  const { base, local: mine, remote: theirs } = block;
  return Object.entries({ base, mine, theirs }).flatMap(([of, lines]) =>
    lines.map((line) => ({ kind: "conflict" as const, of: of as "base" | "mine" | "theirs", line })),
  );
}
