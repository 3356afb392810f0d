import type { Budget } from "./budget.ts";
import { agree, isGone, isMarkOrBreak, leaves, type Words } from "./evidence.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";

/**
 * One side of a cluster: all of the side's elements, the cluster's edits, and the elements [from,
 * to) it covers there.
 */
export type Version = {
  readonly ids: readonly number[];
  readonly edits: readonly Edit[];
  readonly from: number;
  readonly to: number;
};

/**
 * Whether `more` holds all that `less` did to the base and only changed what `less` had left alone:
 * then `more` is the merge of the two. Merging a merge with one of its sides again depends on this.
 */
export function subsumes(
  base: readonly number[],
  more: Version,
  less: Version,
  words: Words,
  budget: Budget,
  lines = false,
): boolean {
  const later = diff(less.ids.slice(less.from, less.to), more.ids.slice(more.from, more.to), budget);
  const earlier = less.edits.map((edit) => ({ ...edit, from: edit.from - less.from, to: edit.to - less.from }));
  if (budget.left < 0) return false;
  const gone = (edit: Edit): boolean => {
    const own = isRemoval(edit) ? [] : less.ids.slice(edit.from, edit.to).flatMap(words);
    return isGone(edit, base, more, words, budget, own);
  };
  if (!less.edits.every(gone)) return false;
  const [first, last] = [less.edits[0], less.edits.at(-1)] as [Edit, Edit];
  const start = first.start - (first.from - less.from);
  const end = last.end + (less.to - last.to);
  const within = ({ edits, from }: Version): Edit[] =>
    edits.map((edit) => ({
      start: edit.start - start,
      end: edit.end - start,
      from: edit.from - from,
      to: edit.to - from,
    }));
  if (!agree(end - start, within(less), later, within(more))) return false;
  const old = new Set(base.slice(start, end));
  return leaves(
    later,
    earlier,
    () => lines,
    (at) => !old.has(less.ids[less.from + at] as number),
    (from, to) => less.ids.slice(less.from + from, less.from + to).every((id) => words(id).every(isMarkOrBreak)),
    (at) => isGone(less.edits[at] as Edit, base, more, words, budget),
  );
}
