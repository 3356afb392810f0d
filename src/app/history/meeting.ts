import { type ConflictReason, mergeText } from "../../merge/merge.ts";
import { type LineBlock, mergeLines } from "../../merge/lines.ts";
import { newReading } from "../../merge/reading.ts";
import { type Origin, originsOf } from "../../merge/origin.ts";
import { splitLines } from "../../merge/split.ts";
import type { State } from "../../ports/state.ts";
import type { ThreeTexts } from "../by-hand/conflicts.ts";
import type { TwoTexts } from "./diff.ts";
import { linkAt } from "./find-document.ts";
import type { MeetingRow } from "./origins.ts";

/** Where two edits of a document in conflict go together, and where they do not. */

/**
 * What merges of two edits and what does not. `whole`: no line of one meets a line of the other,
 * and the result was refused all the same. `no-base`: the text that both were made of is no longer
 * kept.
 */
export type Meeting =
  | { readonly kind: "merges" }
  | { readonly kind: "no-base" }
  | { readonly kind: "whole"; readonly reason: ConflictReason }
  | { readonly kind: "parts"; readonly rows: readonly MeetingRow[]; readonly conflicts: number };

type ConflictBlock = Extract<LineBlock, { kind: "conflict" }>;

/**
 * Of a document in conflict, with the live text as it is now; null: it is not in conflict, or a
 * side has no text.
 */
export function readMeeting(state: State, { path, live, local }: TwoTexts): Meeting | null {
  const link = linkAt(state.load(), path);
  const conflict = link === null ? null : state.conflict(link.id);
  if (conflict === null || live === null || local === null) return null;
  const base = conflict.baseDigest === null ? "" : state.text(conflict.baseDigest);
  return base === null ? { kind: "no-base" } : meetingOf({ base, mine: local, theirs: live });
}

export function meetingOf({ base, mine, theirs }: ThreeTexts): Meeting {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") return { kind: "merges" };
  const blocks = mergeLines(base, mine, theirs, newReading());
  if (blocks === undefined || blocks.every(({ kind }) => kind === "settled"))
    return { kind: "whole", reason: merged.reason };
  // Where they meet base stands in, so that the lines around it are compared with what they were
  // made of.
  const places = new Map<number, ConflictBlock>();
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.kind === "conflict") places.set(lines.length, block);
    lines.push(...(block.kind === "settled" ? splitLines(block.text) : block.base));
  }
  const rows = withConflicts(originsOf(base, mine, theirs, lines.join("")), places);
  return { kind: "parts", rows, conflicts: places.size };
}

/**
 * @param places by the line, 0-based, at which each conflict begins in the text that the rows make
 */
function withConflicts(rows: readonly Origin[], places: ReadonlyMap<number, ConflictBlock>): MeetingRow[] {
  const shown: MeetingRow[] = [];
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

function conflictRows(block: ConflictBlock | undefined): MeetingRow[] {
  if (block === undefined) return [];
  const { base, local: mine, remote: theirs } = block;
  return Object.entries({ base, mine, theirs }).flatMap(([of, lines]) =>
    lines.map((line) => ({ kind: "conflict" as const, of: of as "base" | "mine" | "theirs", line })),
  );
}
