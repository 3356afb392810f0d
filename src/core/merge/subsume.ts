import type { Budget } from "./budget.ts";
import { diff, type Edit } from "./myers.ts";

/** One side of a cluster: its elements, the edits that made them from the base, and where they start in that side. */
export type Version = { readonly ids: readonly number[]; readonly edits: readonly Edit[]; readonly from: number };

/**
 * Whether `more` holds all that `less` did to the base and only changed what `less` had left alone: then `more` is the
 * merge of the two. Merging a merge with one of its sides again depends on this.
 */
export function subsumes(more: Version, less: Version, budget: Budget): boolean {
  const script = diff(less.ids, more.ids, budget);
  if (script.length === 0) return true;
  const removes = less.edits.filter((edit) => edit.from === edit.to);
  const same = (edit: Edit): boolean =>
    more.edits.some((other) => other.from === other.to && other.start === edit.start && other.end === edit.end);
  if (!removes.every(same)) return false;
  return script.every(({ start, end }) =>
    less.edits.every((edit) => {
      const [from, to] = [edit.from - less.from, edit.to - less.from];
      return start === end ? !(from < start && start < to) : end <= from || to <= start;
    }),
  );
}
