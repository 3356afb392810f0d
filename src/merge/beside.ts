import { afford } from "./budget.ts";
import type { Overlap } from "./lines.ts";
import { type Lines, type Reading, wordsIn } from "./reading.ts";

/** Share of the words of the larger text from which two are the same one, changed. */
const SAME_TEXT = 0.6;

/** LIMIT: words compared at one place; more are taken for other texts. */
const MOST_WORDS = 1_000;

type Version = { readonly text: Lines; readonly first: number; readonly length: number };

/** A part in two: what both sides inserted, and the lines of the base that it stands beside. */
export type Parted = { readonly inserted: Overlap; readonly rest: Overlap; readonly isAbove: boolean };

/**
 * Parts what both sides inserted right above or below some lines of the base from those lines,
 * which a side may have changed, but not beyond recognition. Undefined where they are not to be
 * told apart.
 */
export function partInserted(
  part: Overlap,
  texts: { readonly base: Lines; readonly local: Lines; readonly remote: Lines },
  reading: Reading,
): Parted | undefined {
  const { base, local, remote, baseLine, localLine, remoteLine } = part;
  const length = base.length;
  if (local.length <= length || remote.length <= length) return undefined;
  const was: Version = { text: texts.base, first: baseLine, length };
  const mine = { text: texts.local, first: localLine, length: local.length };
  const theirs = { text: texts.remote, first: remoteLine, length: remote.length };
  const isAbove = [true, false].find((one) =>
    [mine, theirs].every((side) => isSameText(was, side, one ? side.length - length : 0, one, reading)),
  );
  if (isAbove === undefined) return undefined;
  const [l, r] = [local.length - length, remote.length - length];
  const upper = isAbove ? { base: 0, local: l, remote: r } : { base: length, local: length, remote: length };
  const above = slice(part, { base: 0, local: 0, remote: 0 }, upper);
  const below = slice(part, upper, { base: length, local: local.length, remote: remote.length });
  return isAbove ? { inserted: above, rest: below, isAbove } : { inserted: below, rest: above, isAbove };
}

type Places = { readonly base: number; readonly local: number; readonly remote: number };

function slice({ base, local, remote, baseLine, localLine, remoteLine }: Overlap, from: Places, to: Places): Overlap {
  return {
    kind: "conflict",
    base: base.slice(from.base, to.base),
    local: local.slice(from.local, to.local),
    remote: remote.slice(from.remote, to.remote),
    baseLine: baseLine + from.base,
    localLine: localLine + from.local,
    remoteLine: remoteLine + from.remote,
  };
}

/**
 * Whether a side's lines from one on are those of the base, changed: as a whole, and the one next
 * to what was inserted by itself.
 */
function isSameText(was: Version, side: Version, from: number, isAbove: boolean, reading: Reading): boolean {
  const next = isAbove ? 0 : was.length - 1;
  const [line, changed] = [wordsAt(was, next, 1, reading), wordsAt(side, from + next, 1, reading)];
  if (line.length === 0 || !areAlike(line, changed, reading)) return false;
  return areAlike(wordsAt(was, 0, was.length, reading), wordsAt(side, from, was.length, reading), reading);
}

function wordsAt({ text, first }: Version, at: number, count: number, reading: Reading): number[] {
  return text.ids.slice(first + at, first + at + count).flatMap((id) => wordsIn(id, reading));
}

function areAlike(some: readonly number[], others: readonly number[], reading: Reading): boolean {
  const most = Math.max(some.length, others.length);
  if (most > MOST_WORDS || !afford(reading, some.length + others.length)) return false;
  const left = new Map<number, number>();
  for (const word of some) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of others) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared++;
    left.set(word, count - 1);
  }
  return shared >= SAME_TEXT * most;
}
