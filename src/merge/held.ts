import { agree } from "./agree.ts";
import { compose, counterparts, joinOverBlanks, reverse } from "./edits.ts";
import { type Ids, isGone, isTouched, leaves } from "./evidence.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import { pairsOthers } from "./quotes.ts";
import { diffLines, type Reading, readLines, tokenise } from "./reading.ts";
import { endsLine, type Token } from "./tokens.ts";
import { OWN_WORD, wordsOfLines } from "./said.ts";

/** The lines of three texts of which each was made of the one before. */
type ThreeLines = readonly [base: readonly string[], less: readonly string[], more: readonly string[]];

/**
 * Whether `more` is a later text of `less`, with every change that `less` made to `base`, in words
 * and in white space. Without this rule an addition that both hold at places that look alike would
 * be taken for two, and a merge that is merged again with one of its sides would grow.
 */
export function isHeld(base: string, less: string, more: string, reading: Reading): boolean {
  const known = reading.held.find((one) => one.base === base && one.less === less && one.more === more);
  if (known !== undefined) return known.isHeld;
  const found = findHeld(base, less, more, reading);
  // What was judged without a budget is not known.
  if (reading.left >= 0) reading.held.push({ base, less, more, isHeld: found });
  return found;
}

function findHeld(base: string, less: string, more: string, reading: Reading): boolean {
  const [b, l, m] = [readLines(base, reading), readLines(less, reading), readLines(more, reading)];
  if (reading.left < 0) return false;
  const earlier = diffLines(base, less, reading);
  const later = diffLines(less, more, reading);
  if (!isLaterByAnyScript([b.lines, l.lines, m.lines], earlier, later, reading)) return false;
  const direct = diffLines(base, more, reading);
  if (!agree(b.ids.length, earlier, later, direct, true)) return false;
  // The shortest script may pair what was removed with a quotation of it, or with where it went.
  const pairs = pairsOthers(base, less, more, reading);
  const words = wordsOfLines(reading);
  const edits = pairs ? compose(b.ids.length, m.ids.length, earlier, later) : direct;
  return earlier.every((edit) => {
    const own = isRemoval(edit) ? [] : l.ids.slice(edit.from, edit.to);
    return isGone(edit, b.ids, { ids: m.ids, edits }, words, reading, own);
  });
}

/**
 * Whether `later` leaves what `earlier` did, with the edits as they are, or with those made one
 * that blank lines alone part.
 */
function isLaterByAnyScript(
  texts: ThreeLines,
  earlier: readonly Edit[],
  later: readonly Edit[],
  reading: Reading,
): boolean {
  const known = new Map<string, boolean>();
  if (isLater(texts, earlier, later, known, reading)) return true;
  const [joined, next] = [joinOverBlanks(earlier, texts[0], true), joinOverBlanks(later, texts[1], true)];
  if (joined.length === earlier.length && next.length === later.length) return false;
  return isLater(texts, joined, next, known, reading);
}

/**
 * LIMIT: lines of the three texts that are compared word by word at one place; where more changed,
 * nothing is proven.
 */
const MOST_LINES = 3_000;

/**
 * Whether `later`, from the second text to the third, leaves what `earlier`, from the first to the
 * second, did. `known`: what was found of regions, by their lines.
 */
function isLater(
  texts: ThreeLines,
  earlier: readonly Edit[],
  later: readonly Edit[],
  known: Map<string, boolean>,
  reading: Reading,
): boolean {
  for (const region of regionsOf(earlier, later)) {
    if (onlyAdds(region) && !region.earlier.some((edit) => isBare(edit, texts[1]))) continue;
    const ranges = rangesOf(region);
    if (ranges.reduce((sum, { from, to }) => sum + to - from, 0) > MOST_LINES) return false;
    const name = ranges.map(({ from, to }) => `${from}-${to}`).join(" ");
    const isKept = known.get(name) ?? keepsLines(texts, ranges, reading);
    known.set(name, isKept);
    if (!isKept) return false;
  }
  return reading.left >= 0;
}

type Range = { readonly from: number; readonly to: number };

/** Whether some lines of the third text are a later text of those of the others. */
function keepsLines(texts: ThreeLines, ranges: readonly Range[], reading: Reading): boolean {
  const [base, less, more] = texts.map((lines, at) => {
    const { from, to } = ranges[at] as Range;
    return tokenise(lines.slice(from, to), reading);
  }) as [Token[], Token[], Token[]];
  return keepsRegion(base, less, more, reading);
}

/**
 * Edits of two scripts, one after the other, that touch each other on the lines of the second text,
 * up to line `end` of it.
 */
type Region = { readonly earlier: readonly Edit[]; readonly later: readonly Edit[]; readonly end: number };

/** The regions with edits of both scripts, in order. */
function regionsOf(earlier: readonly Edit[], later: readonly Edit[]): Region[] {
  const regions: Region[] = [];
  let [e, f] = [0, 0];
  while (e < earlier.length && f < later.length) {
    const first = { e, f };
    let end = Math.min((earlier[e] as Edit).from, (later[f] as Edit).start);
    for (let grown = true; grown; ) {
      const before = e + f;
      for (; e < earlier.length && (earlier[e] as Edit).from <= end; e++) end = Math.max(end, (earlier[e] as Edit).to);
      for (; f < later.length && (later[f] as Edit).start <= end; f++) end = Math.max(end, (later[f] as Edit).end);
      grown = e + f > before;
    }
    if (e > first.e && f > first.f) {
      regions.push({ earlier: earlier.slice(first.e, e), later: later.slice(first.f, f), end });
    }
  }
  return regions;
}

/** Whether an edit put in nothing but lines that open or close a fence, directive or HTML block. */
function isBare({ from, to }: Edit, lines: readonly string[]): boolean {
  return lines.slice(from, to).every((line) => /^[\s>]*(?:`{3}|~{3}|:{3}|<)/.test(line));
}

/**
 * Whether both scripts only add, the later one nothing in the middle of what the earlier one added.
 */
function onlyAdds({ earlier, later }: Region): boolean {
  return (
    earlier.every((edit) => edit.start === edit.end) &&
    later.every(
      (edit) => edit.start === edit.end && earlier.every(({ from, to }) => edit.end <= from || to <= edit.start),
    )
  );
}

/** The lines of the three texts that a region covers. */
function rangesOf({ earlier, later, end }: Region): Range[] {
  const [e0, e1, f0, f1] = [earlier[0], earlier.at(-1), later[0], later.at(-1)] as [Edit, Edit, Edit, Edit];
  const start = Math.min(e0.from, f0.start);
  return [
    { from: e0.start - (e0.from - start), to: e1.end + (end - e1.to) },
    { from: start, to: end },
    { from: f0.from - (f0.start - start), to: f1.to + (end - f1.end) },
  ];
}

/** Whether the tokens of a few lines are a later text of others, as whole texts are above. */
function keepsRegion(
  base: readonly Token[],
  less: readonly Token[],
  more: readonly Token[],
  reading: Reading,
): boolean {
  const [b, l, m] = [base, less, more].map((tokens) => tokens.map(({ id }) => id)) as [number[], number[], number[]];
  if (lacksNewWords(b, l, m)) return false;
  const earlier = diff(b, l, reading, endsLine);
  const later = diff(l, m, reading, endsLine);
  const direct = diff(b, m, reading, endsLine);
  return (
    agree(b.length, earlier, later, direct) &&
    earlier.every(
      (edit) =>
        !(isRemoval(edit) || isTouched(edit, later)) || isGone(edit, b, { ids: m, edits: direct }, OWN_WORD, reading),
    ) &&
    leaves(
      later,
      earlier,
      { ids: l, old: b, more: m, words: OWN_WORD },
      reading,
      (edit) => isWholeLines(edit, l, m),
      (at) => isGone(earlier[at] as Edit, b, { ids: m, edits: direct }, OWN_WORD, reading),
    ) &&
    keepsSpace([base, less, more], earlier, later)
  );
}

/** Whether an addition of tokens is whole lines, at the start of a line. */
function isWholeLines({ start, to }: Edit, less: Ids, more: Ids): boolean {
  return (start === 0 || endsLine(less[start - 1] as number)) && to > 0 && endsLine(more[to - 1] as number);
}

/**
 * Whether white space that the second text changed is in the third too; where it changed nothing
 * else, even where the word itself was rewritten.
 */
function keepsSpace(
  [base, less, more]: readonly [readonly Token[], readonly Token[], readonly Token[]],
  earlier: readonly Edit[],
  later: readonly Edit[],
): boolean {
  const before = counterparts(less.length, earlier.map(reverse));
  const after = counterparts(less.length, later);
  return less.every((token, at) => {
    if (earlier.length > 0 && (after[at] as number) < 0) return true;
    const space = more[after[at] as number]?.space;
    return space === token.space || (base[before[at] as number]?.space ?? token.space) === token.space;
  });
}

/**
 * Whether a word that only the second text brought in is missing from the third: the cheap test,
 * which most merges fail.
 */
function lacksNewWords(base: Ids, less: Ids, more: Ids): boolean {
  const old = new Set(base);
  const counts = new Map<number, number>();
  for (let at = 0; at < less.length; at++) {
    const id = less[at] as number;
    if (!old.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  if (counts.size === 0) return false;
  for (let at = 0; at < more.length; at++) {
    const count = counts.get(more[at] as number);
    if (count !== undefined) counts.set(more[at] as number, count - 1);
  }
  return counts.values().some((count) => count > 0);
}
