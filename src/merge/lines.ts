import { span } from "./cluster.ts";
import type { Edit } from "./myers.ts";
import { type Lines, type Reading, readLines, walkLines } from "./reading.ts";

/** The three sides of a conflict of a line merge, with the first line of each (0-based). */
export type Overlap = {
  readonly kind: "conflict";
  readonly base: readonly string[];
  readonly local: readonly string[];
  readonly remote: readonly string[];
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/** A run of lines of a line merge: settled text, or a conflict. */
export type LineBlock = { readonly kind: "settled"; readonly text: string } | Overlap;

/**
 * Three-way merge of lines, as git does it (Khanna, Kunal, Pierce 2007); undefined when it would
 * cost more than the budget. The texts' common ends are not trimmed first, because that changes
 * results.
 */
export function mergeLines(base: string, local: string, remote: string, reading: Reading): LineBlock[] | undefined {
  const [b, l, r] = [base, local, remote].map((text) => readLines(text, reading)) as [Lines, Lines, Lines];
  const mine = walkLines(base, local, reading);
  const theirs = mine && walkLines(base, remote, reading);
  if (mine === undefined || theirs === undefined) return undefined;
  const blocks: LineBlock[] = [];
  let settled: string[] = [];
  let at = 0;
  for (const place of placesOf(mine, theirs)) {
    pushLines(settled, b.lines, at, place.start);
    at = place.end;
    const found = settle(place, b, l, r);
    if ("lines" in found) pushLines(settled, found.lines, found.from, found.to);
    else {
      flush(settled, blocks);
      settled = [];
      blocks.push(found);
    }
  }
  pushLines(settled, b.lines, at, b.lines.length);
  flush(settled, blocks);
  return blocks;
}

/** Base lines [start, end) with the edits of both sides there. */
type Place = { readonly start: number; end: number; readonly local: Edit[]; readonly remote: Edit[] };

/** Edits of both sides, those that touch at one place. */
function placesOf(local: readonly Edit[], remote: readonly Edit[]): Place[] {
  const places: Place[] = [];
  let [l, r] = [0, 0];
  while (l < local.length || r < remote.length) {
    const [mine, theirs] = [local[l], remote[r]];
    const isMine = theirs === undefined || (mine !== undefined && mine.start <= theirs.start);
    const edit = (isMine ? mine : theirs) as Edit;
    let place = places.at(-1);
    if (place === undefined || edit.start > place.end) {
      place = { start: edit.start, end: edit.end, local: [], remote: [] };
      places.push(place);
    }
    place.end = Math.max(place.end, edit.end);
    (isMine ? place.local : place.remote).push(edit);
    if (isMine) l++;
    else r++;
  }
  return places;
}

type Slice = { readonly lines: readonly string[]; readonly from: number; readonly to: number };

/** What a place becomes: lines of a side, where one side alone changed it or both did alike. */
function settle({ start, end, local, remote }: Place, base: Lines, mine: Lines, theirs: Lines): Slice | Overlap {
  // A side without edits is not asked for its lines.
  const [l, r] = [span(local, start, end, 0), span(remote, start, end, 0)];
  if (local.length === 0) return { lines: theirs.lines, ...r };
  if (remote.length === 0 || isSame(mine.ids, l, theirs.ids, r)) return { lines: mine.lines, ...l };
  return {
    kind: "conflict",
    base: base.lines.slice(start, end),
    local: mine.lines.slice(l.from, l.to),
    remote: theirs.lines.slice(r.from, r.to),
    baseLine: start,
    localLine: l.from,
    remoteLine: r.from,
  };
}

type Range = { readonly from: number; readonly to: number };

function isSame(ids: readonly number[], one: Range, others: readonly number[], other: Range): boolean {
  const length = one.to - one.from;
  if (other.to - other.from !== length) return false;
  for (let at = 0; at < length; at++) if (ids[one.from + at] !== others[other.from + at]) return false;
  return true;
}

function pushLines(settled: string[], lines: readonly string[], from: number, to: number): void {
  for (let at = from; at < to; at++) settled.push(lines[at] as string);
}

function flush(settled: readonly string[], blocks: LineBlock[]): void {
  if (settled.length > 0) blocks.push({ kind: "settled", text: settled.join("") });
}
