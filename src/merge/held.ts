import type { Budget } from "./budget.ts";
import { agree, type Ids, isGone, isMarkOrBreak, isTouched, leaves, reverse, type Words } from "./evidence.ts";
import { compose, counterparts, diff, type Edit, isRemoval, joinOverBlanks } from "./myers.ts";
import { pairsQuotations } from "./quotes.ts";
import { diffLines, readLines } from "./scripts.ts";
import { Interner } from "./split.ts";
import { BLANK, BREAK, textsOf, type Token, tokenise } from "./tokens.ts";

/**
 * Whether `more` is a later text of `less`, with every change that `less` made to `base`, in words
 * and in white space. Without this rule an addition that both hold at places that look alike would
 * be taken for two, and a merge that is merged again with one of its sides would grow.
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
  const words: Words = (id) => textsOf(budget.interner.text(id), budget);
  const [bi, li, mi] = [base, less, more].map((text) => readLines(text, budget).ids) as [Ids, Ids, Ids];
  // The shortest script may pair what was removed with a quotation of it.
  const edits = pairsQuotations(base, less, more, budget) ? compose(b.length, m.length, earlier, later) : direct;
  return earlier.every((edit) => {
    const own = isRemoval(edit) ? [] : li.slice(edit.from, edit.to).flatMap(words);
    return isGone(edit, bi, { ids: mi, edits }, words, budget, own);
  });
}

/**
 * LIMIT: lines of the three texts that are compared word by word at one place; where more changed,
 * nothing is proven.
 */
const MOST_LINES = 3_000;

/**
 * Whether `later`, from the second text to the third, leaves what `earlier`, from the first to the
 * second, did.
 */
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
    // A region: edits of both scripts that touch, one after the other, on the lines of the second
    // text.
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

/**
 * Whether two scripts only add, the later one nothing in the middle of what the earlier one added.
 */
function onlyAdd(earlier: readonly Edit[], later: readonly Edit[]): boolean {
  return (
    earlier.every((edit) => edit.start === edit.end) &&
    later.every(
      (edit) => edit.start === edit.end && earlier.every(({ from, to }) => edit.end <= from || to <= edit.start),
    )
  );
}

/**
 * The lines of the three texts that a region of touching edits covers, up to line `end` of the
 * second.
 */
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
  // White space that `less` changed must be there too; where it changed nothing else, even where
  // the word itself was rewritten.
  return less.every((token, at) => {
    if (earlier.length > 0 && (after[at] as number) < 0) return true;
    const space = more[after[at] ?? -1]?.space;
    return space === token.space || (base[before[at] ?? -1]?.space ?? token.space) === token.space;
  });
}

/**
 * Whether a word that only `less` brought in is missing from `more`: the cheap test, which most
 * merges fail.
 */
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
