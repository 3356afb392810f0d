import type { Budget } from "./budget.ts";
import type { Side } from "./cluster.ts";
import { Interner, splitLines } from "./lines.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import { BLANK, BREAK, isWord, type Token, tokenise } from "./tokens.ts";

/** One side of a cluster: all of the side's elements, the cluster's edits, and the elements [from, to) it covers there. */
export type Version = {
  readonly ids: readonly number[];
  readonly edits: readonly Edit[];
  readonly from: number;
  readonly to: number;
};

/** The words that an element stands for: several for a line, one for a token. */
export type Words = (id: number) => readonly string[];

/**
 * Whether `more` holds all that `less` did to the base and only changed what `less` had left alone: then `more` is the
 * merge of the two. Merging a merge with one of its sides again depends on this.
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
  if (!less.edits.every((edit) => !isRemoval(edit) || isGone(edit, base, more, words))) return false;
  const start = Math.min(...[...less.edits, ...more.edits].map((edit) => edit.start));
  const end = Math.max(...[...less.edits, ...more.edits].map((edit) => edit.end));
  const old = new Set(base.slice(start, end));
  return leaves(
    later,
    earlier,
    () => lines,
    (at) => !old.has(less.ids[less.from + at] as number),
    (at) => isGone(less.edits[at] as Edit, base, more, words),
  );
}

type Script = { readonly ids: readonly number[]; readonly edits: readonly Edit[] };

/** Whether what an edit removed is gone from `more` at that place too, but for a common word here and there. */
function isGone(edit: Edit, base: readonly number[], more: Script, words: Words): boolean {
  if (edit.start === edit.end) return true;
  const there = more.edits.filter(({ start, end }) => start <= edit.end && edit.start <= end);
  const counts = new Map<string, number>();
  for (const { from, to } of there) {
    for (const word of more.ids.slice(from, to).flatMap(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  let [left, all] = [0, 0];
  for (let at = edit.start; at < edit.end; at++) {
    const covered = there.some(({ start, end }) => start <= at && at < end);
    const said = words(base[at] as number).filter(isWord);
    // A line that is still there is no common word.
    if (!covered && said.length > 1) return false;
    for (const word of said) {
      const count = counts.get(word) ?? 0;
      all++;
      if (!covered || count > 0) left++;
      if (covered) counts.set(word, count - 1);
    }
  }
  return 3 * left <= all;
}

/** As many elements, none of them new, may stand together elsewhere by chance. */
const FEW = 2;

/**
 * Whether the edits of a text leave all that `earlier` put there; `between` tells whole lines, which may come between, and
 * `isNew` the text's elements that the base does not have.
 */
function leaves(
  later: readonly Edit[],
  earlier: readonly Edit[],
  between: (edit: Edit) => boolean,
  isNew: (at: number) => boolean,
  replaced: (edit: number) => boolean,
): boolean {
  return earlier.every(({ from, to }, at) => {
    // What only removed leaves a seam that must stay closed.
    if (from === to) return later.every(({ start, end }) => from < start || end < from);
    if (later.some((edit) => edit.start < to && from < edit.end && !(edit.start === edit.end && between(edit))))
      return false;
    // Known words with changes beside them may have been found elsewhere.
    const sides = Number(later.some(({ end }) => end === from)) + Number(later.some(({ start }) => start === to));
    if (sides === 0 || (sides === 1 && to - from > FEW)) return true;
    if (sides === 2 && !replaced(at)) return false;
    for (let place = from; place < to; place++) if (isNew(place)) return true;
    return false;
  });
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
  const words: Words = (id) => tokenise([interner.text(id)], budget).map((token) => token.text);
  const gone = (edits: readonly Edit[], ids: readonly number[], direct: readonly Edit[]): boolean =>
    edits.every((edit) => !isRemoval(edit) || isGone(edit, bi, { ids, edits: direct }, words));
  if (isLater([b, l, r], toLocal, across, budget) && gone(toLocal, ri, toRemote)) return "remote";
  return isLater([b, r, l], toRemote, back, budget) && gone(toRemote, li, toLocal) ? "local" : undefined;
}

function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/** Whether `later`, from the second text to the third, leaves what `earlier`, from the first to the second, did. */
function isLater(
  texts: readonly [base: string[], less: string[], more: string[]],
  earlier: readonly Edit[],
  later: readonly Edit[],
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
    if (e === e0 || f === f0) continue;
    const region = linesOf(texts, earlier.slice(e0, e), later.slice(f0, f), end);
    const [base, less, more] = region.map((lines) => tokenise(lines, budget)) as [Token[], Token[], Token[]];
    if (!keepsRegion(base, less, more, budget)) return false;
  }
  return budget.left >= 0;
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
  const words: Words = (id) => [interner.text(id)];
  const gone = (edit: Edit): boolean => isGone(edit, ids[0] ?? [], { ids: ids[2] ?? [], edits: direct }, words);
  if (!earlier.every((edit) => !isRemoval(edit) || gone(edit))) return false;
  const wholeLines = ({ start, to }: Edit): boolean =>
    ends(ids[1]?.[start - 1] ?? line) && ends(ids[2]?.[to - 1] ?? -1);
  const old = new Set(ids[0]);
  const isNew = (at: number): boolean => !old.has(ids[1]?.[at] as number);
  if (!leaves(later, earlier, wholeLines, isNew, (at) => gone(earlier[at] as Edit))) return false;
  const before = counterparts(less.length, earlier.map(reverse));
  const after = counterparts(less.length, later);
  // White space that `less` changed must be there too, even where the word itself was rewritten.
  return less.every((token, at) => {
    const space = more[after[at] ?? -1]?.space;
    return space === token.space || (base[before[at] ?? -1]?.space ?? token.space) === token.space;
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
