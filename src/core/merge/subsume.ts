import { afford, type Budget } from "./budget.ts";
import { diffLines, readLines } from "./scripts.ts";
import { Interner } from "./split.ts";
import { counterparts, diff, type Edit, isRemoval, joinOverBlanks } from "./myers.ts";
import { BLANK, BREAK, isMark, isWord, type Token, tokenise } from "./tokens.ts";

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

/** What a word of a removal costs in steps. */
const STEPS_A_WORD = 10;

type Ids = readonly number[];
type Script = { readonly ids: readonly number[]; readonly edits: readonly Edit[] };

/** Whether what an edit removed is gone from `more` at that place too, but for a common word here and there. */
function isGone(
  edit: Edit,
  base: readonly number[],
  more: Script,
  words: Words,
  budget: Budget,
  own: readonly string[] = [],
): boolean {
  if (edit.start === edit.end) return true;
  if (budget.left < 0) return false;
  const there = more.edits.filter(({ start, end }) => start <= edit.end && edit.start <= end);
  const size = there.reduce((sum, { from, to }) => sum + to - from, (edit.end - edit.start) * (1 + there.length));
  if (!afford(budget, more.edits.length + STEPS_A_WORD * size)) return false;
  const counts = new Map<string, number>();
  for (const { from, to } of there) {
    for (const word of more.ids.slice(from, to).flatMap(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const kept = countOf(own, budget);
  for (const word of own) counts.set(word, (counts.get(word) ?? 0) - 1);
  const removed = base.slice(edit.start, edit.end).flatMap(words);
  // Marks are everywhere: they count where nothing else was removed.
  const counted = removed.some(isWord) ? isWord : (): boolean => true;
  let known: Map<string, number> | undefined;
  let [left, all] = [0, 0];
  for (let at = edit.start; at < edit.end; at++) {
    const covered = there.some(({ start, end }) => start <= at && at < end);
    const said = words(base[at] as number);
    // A line that is still there is no common word.
    if (!covered && said.length > 1) return false;
    for (const word of said.filter(counted)) {
      const count = counts.get(word) ?? 0;
      if ((kept.get(word) ?? 0) > 0) {
        kept.set(word, (kept.get(word) as number) - 1);
        continue;
      }
      all++;
      if (!covered || count > 0) {
        // A word that the base has nowhere else is no common one.
        known ??= countOf(base.flatMap(words), budget);
        if (known.get(word) === 1) return false;
        left++;
      }
      if (covered) counts.set(word, count - 1);
    }
  }
  return 3 * left <= all;
}

/**
 * Whether what the earlier text left as it was in the base, and the later one too, is still there when one goes from the one to the other. Where it
 * is not, the later text was matched with what the earlier one added by chance.
 */
function agree(length: number, earlier: readonly Edit[], later: readonly Edit[], direct: readonly Edit[]): boolean {
  const before = counterparts(length, earlier);
  const after = counterparts(length + shiftOf(earlier), later);
  const across = counterparts(length, direct);
  const known = counterparts(length + shiftOf(earlier) + shiftOf(later), later.map(reverse));
  return before.every((at, place) => {
    const there = across[place] as number;
    return at < 0 || there < 0 || (after[at] as number) >= 0 || (known[there] as number) >= 0;
  });
}

/** How much longer a script makes a sequence. */
function shiftOf(edits: readonly Edit[]): number {
  const last = edits.at(-1);
  return last === undefined ? 0 : last.to - last.end;
}

function countOf(words: readonly string[], budget: Budget): Map<string, number> {
  afford(budget, words.length);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Whether any of the later edits comes up to what an edit put there. */
function isTouched({ from, to }: Edit, later: readonly Edit[]): boolean {
  return later.some(({ start, end }) => start <= to && from <= end);
}

/** As many elements, none of them new, may stand together elsewhere by chance. */
const FEW = 4;

/** How many elements stand in a row from one change to the next around a piece that is touched by one of them. */
function held(later: readonly Edit[], from: number, to: number): number {
  let [first, last] = [0, Number.POSITIVE_INFINITY];
  for (const { start, end } of later) {
    if (end <= from) first = Math.max(first, end);
    if (start >= to) last = Math.min(last, start);
  }
  return last - first;
}

/**
 * Whether the edits of a text leave all that `earlier` put there; `between` tells whole lines, which may come between, and
 * `isNew` the text's elements that the base does not have.
 */
function leaves(
  later: readonly Edit[],
  earlier: readonly Edit[],
  between: (edit: Edit) => boolean,
  isNew: (at: number) => boolean,
  isBare: (from: number, to: number) => boolean,
  replaced: (edit: number) => boolean,
): boolean {
  return earlier.every(({ start, end, from, to }, at) => {
    // What only removed leaves a seam that must stay closed.
    if (from === to) return later.every((edit) => from < edit.start || edit.end < from);
    // Lines may have come between those that replaced others; what was only added stands in a row.
    const comesBetween = (edit: Edit): boolean => edit.start === edit.end && start < end && between(edit);
    if (later.some((edit) => edit.start < to && from < edit.end && !comesBetween(edit))) return false;
    // A mark belongs to the word beside it: nothing comes between.
    const parted = later.some((edit) => edit.start === edit.end && (edit.start === from || edit.start === to));
    if (parted && isBare(from, to)) return false;
    // Known words with changes beside them may have been found elsewhere.
    const sides = Number(later.some((edit) => edit.end === from)) + Number(later.some((edit) => edit.start === to));
    if (sides === 0 || (sides === 1 && held(later, from, to) > FEW)) return true;
    if (sides === 2 && !replaced(at)) return false;
    for (let place = from; place < to; place++) if (isNew(place)) return true;
    return false;
  });
}

/**
 * Whether `more` is a later text of `less`, with every change that `less` made to `base`, in words and in white space. Without this rule an addition
 * that both hold at places that look alike would be taken for two, and a merge that is merged again with one of its sides would grow.
 */
export function isHeld(base: string, less: string, more: string, budget: Budget): boolean {
  const [b, l, m] = [base, less, more].map((text) => readLines(text, budget).lines) as [string[], string[], string[]];
  if (budget.left < 0) return false;
  const earlier = diffLines(base, less, budget);
  const later = diffLines(less, more, budget);
  const coarse = (): boolean =>
    isLater([b, l, m], joinOverBlanks(earlier, b, true), joinOverBlanks(later, l, true), budget);
  if (!isLater([b, l, m], earlier, later, budget) && !coarse()) return false;
  const direct = diffLines(base, more, budget);
  if (!agree(b.length, earlier, later, direct)) return false;
  const words: Words = (id) => tokenise([budget.interner.text(id)], budget).map((token) => token.text);
  const [bi, li, mi] = [base, less, more].map((text) => readLines(text, budget).ids) as [Ids, Ids, Ids];
  return earlier.every((edit) => {
    const own = isRemoval(edit) ? [] : li.slice(edit.from, edit.to).flatMap(words);
    return isGone(edit, bi, { ids: mi, edits: direct }, words, budget, own);
  });
}

function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/** LIMIT: lines of the three texts that are compared word by word at one place; where more changed, nothing is proven. */
const MOST_LINES = 3_000;

/** Whether `later`, from the second text to the third, leaves what `earlier`, from the first to the second, did. */
function isLater(
  texts: readonly [base: readonly string[], less: readonly string[], more: readonly string[]],
  earlier: readonly Edit[],
  later: readonly Edit[],
  budget: Budget,
): boolean {
  const isBare = ({ from, to }: Edit): boolean =>
    texts[1].slice(from, to).every((line) => /^[\s>]*(?:`{3}|~{3}|:{3}|<)/.test(line));
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
    const [did, does] = [earlier.slice(e0, e), later.slice(f0, f)];
    if (did.length === 0 || does.length === 0 || (onlyAdd(did, does) && !did.some(isBare))) continue;
    const region = linesOf(texts, did, does, end);
    if (region.reduce((sum, lines) => sum + lines.length, 0) > MOST_LINES) return false;
    const [base, less, more] = region.map((lines) => tokenise(lines, budget)) as [Token[], Token[], Token[]];
    if (!keepsRegion(base, less, more, budget)) return false;
  }
  return budget.left >= 0;
}

function isMarkOrBreak(text: string): boolean {
  return text === BREAK || isMark(text);
}

/** Whether two scripts only add, the later one nothing in the middle of what the earlier one added. */
function onlyAdd(earlier: readonly Edit[], later: readonly Edit[]): boolean {
  return (
    earlier.every((edit) => edit.start === edit.end) &&
    later.every(
      (edit) => edit.start === edit.end && earlier.every(({ from, to }) => edit.end <= from || to <= edit.start),
    )
  );
}

/** The lines of the three texts that a region of touching edits covers, up to line `end` of the second. */
function linesOf(
  texts: readonly (readonly string[])[],
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
  if (!agree(base.length, earlier, later, direct)) return false;
  const words: Words = (id) => [interner.text(id)];
  const gone = (edit: Edit): boolean => isGone(edit, ids[0] ?? [], { ids: ids[2] ?? [], edits: direct }, words, budget);
  if (!earlier.every((edit) => !(isRemoval(edit) || isTouched(edit, later)) || gone(edit))) return false;
  const wholeLines = ({ start, to }: Edit): boolean =>
    ends(ids[1]?.[start - 1] ?? line) && ends(ids[2]?.[to - 1] ?? -1);
  const old = new Set(ids[0]);
  const isNew = (at: number): boolean => !old.has(ids[1]?.[at] as number);
  const isBare = (from: number, to: number): boolean => less.slice(from, to).every(({ text }) => isMarkOrBreak(text));
  if (!leaves(later, earlier, wholeLines, isNew, isBare, (at) => gone(earlier[at] as Edit))) return false;
  const before = counterparts(less.length, earlier.map(reverse));
  const after = counterparts(less.length, later);
  // White space that `less` changed must be there too; where it changed nothing else, even where the word itself was rewritten.
  return less.every((token, at) => {
    if (earlier.length > 0 && (after[at] as number) < 0) return true;
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
