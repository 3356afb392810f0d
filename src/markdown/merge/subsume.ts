import { type ElementIds, areRemovedWordsGone, keepsAdditions, type ReadWords } from "./evidence.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import type { MergeReading } from "./reading.ts";

/**
 * `ids`: all elements of the side. `from`, `to`: range of the part that both sides changed, in this
 * side.
 */
type PartSide = {
  readonly ids: ElementIds;
  readonly edits: readonly Edit[];
  readonly from: number;
  readonly to: number;
};

/**
 * Returns true if one side (`more`) contains all changes of the other side (`less`), and otherwise
 * changed only what `less` left unchanged. `more` is then the merge of both sides. Because of this
 * rule, merging a result again with one of its sides does not change the result.
 * @param isLines true if the elements are lines, so that other lines may come between them
 */
export function includesAllChanges(
  base: ElementIds,
  more: PartSide,
  less: PartSide,
  wordsOf: ReadWords,
  reading: MergeReading,
  isLines = false,
): boolean {
  const text = less.ids.slice(less.from, less.to);
  const moreIds = more.ids.slice(more.from, more.to);
  const laterEdits = diff(text, moreIds, reading);
  if (reading.left < 0) return false;
  const isReplaced = less.edits.every((edit) => {
    const added = isRemoval(edit) ? [] : less.ids.slice(edit.from, edit.to);
    return areRemovedWordsGone(edit, base, more, wordsOf, reading, added);
  });
  if (!isReplaced) return false;
  const [first, last] = [less.edits[0], less.edits.at(-1)] as [Edit, Edit];
  const start = first.start - (first.from - less.from);
  const end = last.end + (less.to - last.to);
  const earlierEdits = shiftEdits(less, start);
  return keepsAdditions(
    laterEdits,
    earlierEdits,
    { ids: text, old: base.slice(start, end), more: moreIds, wordsOf },
    reading,
    () => isLines,
    (index) => areRemovedWordsGone(less.edits[index] as Edit, base, more, wordsOf, reading),
  );
}

/**
 * Returns the edits of a side, with indexes counted from the beginning of the part: from `start` in
 * base, from `from` in the side.
 */
function shiftEdits({ edits, from }: PartSide, start: number): Edit[] {
  return edits.map((edit) => ({
    start: edit.start - start,
    end: edit.end - start,
    from: edit.from - from,
    to: edit.to - from,
  }));
}
