import type { Budget } from "./budget.ts";
import type { Side } from "./cluster.ts";
import { Interner, splitLines } from "./lines.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import { BLANK, BREAK, type Token, tokenise } from "./tokens.ts";

/** One side of a cluster: its elements, the edits that made them from the base, and where they start in that side. */
export type Version = { readonly ids: readonly number[]; readonly edits: readonly Edit[]; readonly from: number };

/**
 * Whether `more` holds all that `less` did to the base and only changed what `less` had left alone: then `more` is the
 * merge of the two. Merging a merge with one of its sides again depends on this.
 */
export function subsumes(more: Version, less: Version, budget: Budget, lines = false): boolean {
  const later = diff(less.ids, more.ids, budget);
  const earlier = less.edits.map((edit) => ({ ...edit, from: edit.from - less.from, to: edit.to - less.from }));
  return keeps(earlier, later, more.edits, () => lines);
}

/** Whether `later`, made of the text that `earlier` gave, leaves all of it; `direct` leads from the base to the end. */
function keeps(
  earlier: readonly Edit[],
  later: readonly Edit[],
  direct: readonly Edit[],
  between: (edit: Edit) => boolean,
): boolean {
  // The direct script may keep a common word here and there; text that is still there is kept for the most part.
  const gone = (edit: Edit): boolean => {
    let covered = 0;
    for (const { start, end } of direct) covered += Math.max(0, Math.min(end, edit.end) - Math.max(start, edit.start));
    return 2 * covered >= edit.end - edit.start;
  };
  return earlier.every(
    (edit) => (!isRemoval(edit) || gone(edit)) && later.every((next) => !undoes(next, edit, between(next))),
  );
}

/**
 * Whether an edit of the text that `earlier` made reaches into what it put there, or touches where it only removed. Whole
 * lines added between lines it put there leave them as they are.
 */
function undoes(later: Edit, earlier: Edit, between: boolean): boolean {
  if (earlier.from === earlier.to) return later.start <= earlier.from && earlier.from <= later.end;
  return later.start < earlier.to && earlier.from < later.end && !(between && later.start === later.end);
}

/**
 * The side that is a later text of the other one, with every change that the other made to `base`, in words and in white
 * space. Without this rule an addition that both hold at places that look alike would be taken for two.
 */
export function laterSide(base: string, local: string, remote: string, budget: Budget): Side | undefined {
  const [b, l, r] = [splitLines(base), splitLines(local), splitLines(remote)];
  const interner = new Interner();
  const [bi, li, ri] = [interner.ids(b), interner.ids(l), interner.ids(r)];
  const toLocal = diff(bi, li, budget);
  const toRemote = diff(bi, ri, budget);
  const across = diff(li, ri, budget);
  const back = across.map(reverse);
  if (isLater([b, l, r], toLocal, across, toRemote, budget)) return "remote";
  return isLater([b, r, l], toRemote, back, toLocal, budget) ? "local" : undefined;
}

function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/** Whether `later`, from the second text to the third, leaves what `earlier`, from the first to the second, did. */
function isLater(
  texts: readonly [base: string[], less: string[], more: string[]],
  earlier: readonly Edit[],
  later: readonly Edit[],
  direct: readonly Edit[],
  budget: Budget,
): boolean {
  let [e, f] = [0, 0];
  while (e < earlier.length && f < later.length) {
    const [e0, f0] = [e, f];
    // A region: edits of both scripts that touch, one after the other, on the lines of the second text.
    let end = Math.min(earlier[e]?.from ?? 0, later[f]?.start ?? 0);
    for (let grown = true; grown; ) {
      grown = false;
      for (let edit = earlier[e]; edit !== undefined && edit.from <= end; edit = earlier[++e]) {
        end = Math.max(end, edit.to);
        grown = true;
      }
      for (let edit = later[f]; edit !== undefined && edit.start <= end; edit = later[++f]) {
        end = Math.max(end, edit.end);
        grown = true;
      }
    }
    if (!keeps(earlier.slice(e0, e), [], direct, () => true)) return false;
    if (e === e0 || f === f0) continue;
    const region = linesOf(texts, earlier.slice(e0, e), later.slice(f0, f), end);
    const [base, less, more] = region.map((lines) => tokenise(lines, budget)) as [Token[], Token[], Token[]];
    if (!keepsRegion(base, less, more, budget)) return false;
  }
  return budget.left >= 0 && keeps(earlier.slice(e), [], direct, () => true);
}

/** The lines of the three texts that a region of touching edits covers, up to line `end` of the second. */
function linesOf(
  texts: readonly string[][],
  earlier: readonly Edit[],
  later: readonly Edit[],
  end: number,
): string[][] {
  const [e0, e1, f0, f1] = [earlier[0], earlier.at(-1), later[0], later.at(-1)] as [Edit, Edit, Edit, Edit];
  const start = Math.min(e0.from, f0.start);
  const ranges = [
    [e0.start - (e0.from - start), e1.end + (end - e1.to)],
    [start, end],
    [f0.from - (f0.start - start), f1.to + (end - f1.end)],
  ];
  return texts.map((lines, at) => lines.slice(...(ranges[at] as [number, number])));
}

/** The same for the tokens of a few lines. */
function keepsRegion(base: readonly Token[], less: readonly Token[], more: readonly Token[], budget: Budget): boolean {
  if (lacksNewWords(base, less, more)) return false;
  const interner = new Interner();
  const ids = [base, less, more].map((tokens) => interner.ids(tokens.map((token) => token.text)));
  const [line, blank] = [interner.id(BREAK), interner.id(BLANK)];
  const ends = (id: number): boolean => id === line || id === blank;
  const earlier = diff(ids[0] ?? [], ids[1] ?? [], budget, ends);
  const later = diff(ids[1] ?? [], ids[2] ?? [], budget, ends);
  const direct = diff(ids[0] ?? [], ids[2] ?? [], budget, ends);
  const wholeLines = ({ start, to }: Edit): boolean =>
    ends(ids[1]?.[start - 1] ?? line) && ends(ids[2]?.[to - 1] ?? -1);
  if (!keeps(earlier, later, direct, wholeLines)) return false;
  const before = counterparts(less.length, earlier.map(reverse));
  const after = counterparts(less.length, later);
  return less.every((token, at) => {
    const space = more[after[at] ?? -1]?.space;
    return space === undefined || space === token.space || base[before[at] ?? -1]?.space === token.space;
  });
}

/** Whether a word that only `less` brought in is missing from `more`: the cheap test, which most merges fail. */
function lacksNewWords(base: readonly Token[], less: readonly Token[], more: readonly Token[]): boolean {
  const old = new Set(base.map((token) => token.text));
  const counts = new Map<string, number>();
  for (const { text } of less) if (!old.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const { text } of more) {
    const count = counts.get(text);
    if (count !== undefined) counts.set(text, count - 1);
  }
  return counts.values().some((count) => count > 0);
}

/** For each element of the first sequence the index of its equal in the second; -1 where an edit took it away. */
function counterparts(length: number, edits: readonly Edit[]): Int32Array {
  const found = new Int32Array(length).fill(-1);
  let shift = 0;
  let at = 0;
  for (const edit of [...edits, { start: length, end: length, from: 0, to: 0 }]) {
    for (; at < edit.start; at++) found[at] = at + shift;
    at = edit.end;
    shift = edit.to - edit.end;
  }
  return found;
}
