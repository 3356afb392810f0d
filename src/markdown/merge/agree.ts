import { counterparts, reverse } from "./edits.ts";
import type { Edit } from "./myers.ts";

/**
 * Whether what the earlier text left as it was in the base, and the later one too, is still there
 * when one goes from the one to the other. Where it is not, the later text was matched with what
 * the earlier one added by chance. `mayMove`: not so where all that was matched in its stead was in
 * the base: then the later text moved it past what both kept.
 */
export function agree(
  length: number,
  earlier: readonly Edit[],
  later: readonly Edit[],
  direct: readonly Edit[],
  mayMove = false,
): boolean {
  const before = counterparts(length, earlier);
  const after = counterparts(length + shiftOf(earlier), later);
  const across = counterparts(length, direct);
  const known = counterparts(length + shiftOf(earlier) + shiftOf(later), later.map(reverse));
  let matched: Int32Array | undefined;
  for (let place = 0; place < length; place++) {
    const at = before[place] as number;
    const there = across[place] as number;
    if (at < 0 || there < 0 || (after[at] as number) >= 0 || (known[there] as number) >= 0) continue;
    if (!mayMove) return false;
    matched ??= matchedBefore(earlier, after);
    const other = lastKnown(known, there);
    const [from, to] = other > at ? [at + 1, other + 1] : [other + 1, at];
    if (matched[from] !== matched[to]) return false;
  }
  return true;
}

/** For each place in a text how many of the elements before it are new there and stay later. */
function matchedBefore(edits: readonly Edit[], after: Int32Array): Int32Array {
  const before = new Int32Array(after.length + 1);
  for (const { from, to } of edits) {
    for (let at = from; at < to; at++) if ((after[at] as number) >= 0) before[at + 1] = 1;
  }
  for (let at = 0; at < after.length; at++) before[at + 1] = (before[at + 1] as number) + (before[at] as number);
  return before;
}

/** The counterpart of the last element before a place that has one; -1 where none has. */
function lastKnown(known: Int32Array, place: number): number {
  let at = place;
  while (at >= 0 && (known[at] as number) < 0) at--;
  return at < 0 ? -1 : (known[at] as number);
}

/** How much longer a script makes a sequence. */
function shiftOf(edits: readonly Edit[]): number {
  const last = edits.at(-1);
  return last === undefined ? 0 : last.to - last.end;
}
