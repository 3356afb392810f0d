import { LINE_PREFIX } from "./tokens.ts";
import { useLaterDates } from "./front-matter.ts";
import { areSequencesEqual, SequenceNumbers, StringNumbers } from "./split.ts";
import { newBudget } from "./budget.ts";
import { findCounterparts } from "./edits.ts";
import { diff } from "./diff.ts";

/**
 * One word or symbol in each of four versions, with the white space before the word; null for a
 * version that lacks the word. The number of an item, heading or row is part of the white space.
 */
export type ExplainedWord = {
  readonly base: string | null;
  readonly local: string | null;
  readonly remote: string | null;
  readonly result: string | null;
};

/**
 * Origin of a line of the merge.
 * - `kept`: unchanged since base
 * - `local`, `remote`: changed by one side
 * - `both`: changed equally by both sides
 * - `joined`: combines different changes of both sides
 */
type LineOrigin = "kept" | "local" | "remote" | "both" | "joined";

/**
 * Line of the merge, or removed line. `line`: number of the line in the result, from 1; null for a
 * removed line.
 */
export type ExplainedLine = {
  readonly line: number | null;
  readonly rule: LineOrigin;
  readonly pieces: readonly ExplainedWord[];
};

/**
 * Explanation of a merge. `texts`: the three versions that were merged. In both sides,
 * `useLaterDates` has replaced dates that both sides changed by the later date. All pieces of one
 * version, joined, are that version.
 */
export type Explanation = {
  readonly texts: readonly [base: string, local: string, remote: string];
  readonly lines: readonly ExplainedLine[];
};

/**
 * Explains a merge by its four versions, without knowing how the merge was made. Returns null if
 * the versions differ too much, or if the result is no merge of base and both sides.
 */
export function explainMerge(base: string, local: string, remote: string, result: string): Explanation | null {
  const texts = [base, ...useLaterDates(base, local, remote)] as const;
  const pieces = alignVersions([...texts, result]);
  return pieces === undefined ? null : { texts, lines: groupByLines(pieces) };
}

type SpacedWord = { readonly text: string; readonly space: string };
type SplitVersion = { readonly words: readonly SpacedWord[]; readonly rest: string };

const WORD =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+(?:_+[\p{L}\p{M}\p{N}]+)*|([*_~=#:`-])\1*|\[[ xX]\](?=\s)|\S/gu;
const ITEM_NUMBER =
  /^((?:[ \t]*(?:>|[-*+]|#{1,6})(?=[ \t]))*[ \t]*)(?:(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)]|\p{N}{1,2}:\p{N}{2})(?=[ \t]+\S)|\p{N}{1,4}、)|^([ \t]*\|[ \t]*)\p{N}{1,4}(?=[ \t]*\|)/gmu;

/**
 * Splits a version into words and symbols. A symbol that begins an item, quote, heading or row does
 * not equal the same symbol inside a line.
 */
function splitIntoWords(text: string): SplitVersion {
  const numbers = Array.from(text.matchAll(ITEM_NUMBER), ({ 0: all, 1: item, 2: row, index }) => {
    return { from: index + (item ?? row ?? "").length, to: index + all.length };
  });
  const words: SpacedWord[] = [];
  let [written, next] = [0, 0];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    while ((numbers[next]?.to ?? Number.POSITIVE_INFINITY) <= index) next++;
    if ((numbers[next]?.from ?? Number.POSITIVE_INFINITY) <= index) continue;
    const space = text.slice(written, index);
    const isLineStart = LINE_PREFIX.test(found) && (written === 0 || space.includes("\n"));
    words.push({ text: isLineStart ? `\n${found}` : found, space });
    written = index + found.length;
  }
  return { words, rest: text.slice(written) };
}

function alignVersions(texts: readonly string[]): ExplainedWord[] | undefined {
  const splitVersions = texts.map(splitIntoWords);
  const ids = new StringNumbers();
  const four = splitVersions.map(({ words }) => ids.ids(words.map(({ text }) => text)));
  const starts = splitVersions.map(({ words }) => Array.from(words.keys()).filter((index) => beginsLine(words, index)));
  const rows = alignFour(four as unknown as FourSequences, starts as unknown as FourSequences);
  if (rows === undefined) return undefined;
  const writeWord = (index: number, text: number): string | null => {
    const word = splitVersions[text]?.words[index];
    return word === undefined ? null : word.space + word.text.trimStart();
  };
  const pieces = rows.map((row) => toExplainedWord(row.map(writeWord)));
  return [...pieces, toExplainedWord(splitVersions.map(({ rest }) => rest))];
}

function beginsLine(words: readonly SpacedWord[], index: number): boolean {
  return index === 0 || words[index]?.space.includes("\n") === true;
}

function toExplainedWord(cells: readonly (string | null)[]): ExplainedWord {
  const [base, local, remote, result] = cells as [string | null, string | null, string | null, string | null];
  return { base, local, remote, result };
}

/** Groups words by lines. A removed line is an element of the result, too. */
function groupByLines(pieces: readonly ExplainedWord[]): ExplainedLine[] {
  const lines: { line: number | null; pieces: ExplainedWord[] }[] = [{ line: null, pieces: [] }];
  let lineNumber = 1;
  for (const [index, piece] of pieces.entries()) {
    const isEnd = index === pieces.length - 1;
    if (index > 0 && !isEnd && (piece.result ?? piece.base)?.includes("\n")) lines.push({ line: null, pieces: [] });
    const line = lines.at(-1) as (typeof lines)[number];
    line.pieces.push(piece);
    if (piece.result === null || isEnd) continue;
    lineNumber += piece.result.split("\n").length - 1;
    line.line = lineNumber;
  }
  return lines.map((line) => ({ ...line, rule: findLineOrigin(line.pieces) }));
}

function findLineOrigin(pieces: readonly ExplainedWord[]): LineOrigin {
  const changingSides = new Set(pieces.map(findChangingSide).filter((side) => side !== "kept"));
  if (changingSides.size > 1) return "joined";
  return changingSides.values().next().value ?? "kept";
}

function findChangingSide({ base, local, remote }: ExplainedWord): Exclude<LineOrigin, "joined"> {
  const [mine, theirs] = [local, remote].map((side) => (side === null) !== (base === null));
  if (mine && theirs) return "both";
  return mine ? "local" : theirs ? "remote" : "kept";
}

/** Words of base, local, remote and result as numbers. Equal words have equal numbers. */
type FourSequences = readonly [base: readonly number[], ...sides: (readonly number[])[]];

/**
 * Index of a word in each version. In a row, the four indexes belong to one word; -1 stands for a
 * version that lacks the word.
 */
type VersionPositions = readonly [base: number, local: number, remote: number, result: number];

/**
 * Steps that the search may take. `by`: 1 for each version in which the step passes a word,
 * otherwise 0. `changes`: number of changes that the step means. The rows are, in order: removed by
 * both sides, added by both, removed by one side, added by one side. No row is needed for words
 * that all versions have.
 */
const SEARCH_STEPS: readonly { readonly by: VersionPositions; readonly changes: number }[] = [
  { by: [1, 0, 0, 0], changes: 2 },
  { by: [0, 1, 1, 1], changes: 2 },
  { by: [1, 1, 0, 0], changes: 1 },
  { by: [1, 0, 1, 0], changes: 1 },
  { by: [0, 0, 1, 1], changes: 1 },
  { by: [0, 1, 0, 1], changes: 1 },
];

/**
 * Smallest lengths of the sequences of common words at which the search is split. If the search
 * fails with one length, it tries the next length.
 */
const MIN_RUN_LENGTHS = [1, 4, 16];

/**
 * Finds which words of base, both sides and the result correspond to each other, so that the sides
 * have few changes. Returns undefined if the result is no merge of the other three versions, or if
 * a limit is exceeded.
 * @param starts indexes of the words that begin lines
 */
function alignFour(four: FourSequences, starts: FourSequences): VersionPositions[] | undefined {
  const commonRuns = findCommonRuns(four, starts);
  for (const minLength of MIN_RUN_LENGTHS) {
    const rows = alignAroundRuns(
      four,
      commonRuns.filter(({ length }) => length >= minLength),
    );
    if (rows !== undefined) return rows;
  }
  return undefined;
}

function alignAroundRuns(
  four: FourSequences,
  runs: readonly (readonly VersionPositions[])[],
): VersionPositions[] | undefined {
  const rows: VersionPositions[] = [];
  let from: VersionPositions = [0, 0, 0, 0];
  for (const run of [...runs, [four.map(({ length }) => length) as unknown as VersionPositions]]) {
    const to = run[0] as VersionPositions;
    const matchingRows = searchRows(four, from, to);
    if (matchingRows === undefined) return undefined;
    rows.push(...matchingRows);
    if (to[0] < four[0].length) rows.push(...run);
    from = advancePositions(run.at(-1) as VersionPositions, [1, 1, 1, 1]);
  }
  return rows;
}

function advancePositions(place: VersionPositions, by: VersionPositions): VersionPositions {
  return [place[0] + by[0], place[1] + by[1], place[2] + by[2], place[3] + by[3]];
}

/**
 * Finds the words that all four versions have. Returns the positions of these words, as sequences
 * of adjacent words.
 */
function findCommonRuns(four: FourSequences, starts: FourSequences): VersionPositions[][] {
  const baseWords = four[0];
  const matchVersions = (one: number, other: number): Int32Array => {
    const [a, b] = [one, other].map((text) => ({ ids: four[text] ?? [], starts: starts[text] ?? [] }));
    return matchByLines(a as WordSequence, b as WordSequence);
  };
  const [mine, theirs, mineKept, theirsKept] = [
    matchVersions(0, 1),
    matchVersions(0, 2),
    matchVersions(1, 3),
    matchVersions(2, 3),
  ] as const;
  const runs: VersionPositions[][] = [];
  for (let index = 0; index < baseWords.length; index++) {
    const [l, r] = [mine[index] as number, theirs[index] as number];
    const resultIndex = mineKept[l] ?? -1;
    if (resultIndex < 0 || resultIndex !== theirsKept[r]) continue;
    const [run, row] = [runs.at(-1), [index, l, r, resultIndex] as const];
    const lastRow = run?.at(-1);
    if (lastRow !== undefined && advancePositions(lastRow, [1, 1, 1, 1]).every((next, text) => next === row[text]))
      run?.push(row);
    else runs.push([row]);
  }
  return runs;
}

type WordSequence = { readonly ids: readonly number[]; readonly starts: readonly number[] };

/**
 * Returns, for each word, the index of the corresponding word in another version; -1 if the version
 * lacks the word. Compares lines first, then the words of lines that differ.
 */
function matchByLines(a: WordSequence, b: WordSequence): Int32Array {
  const runs = new SequenceNumbers();
  const [was, is] = [a, b].map(({ ids, starts }) =>
    starts.map((from, line) => runs.id(ids, from, starts[line + 1] ?? ids.length)),
  ) as [number[], number[]];
  const startOfLine = ({ ids, starts }: WordSequence, line: number): number => starts[line] ?? ids.length;
  const edits = diff(was, is, newBudget()).flatMap(({ start, end, from, to }) => {
    const [first, next] = [startOfLine(a, start), startOfLine(b, from)];
    const [words, others] = [a.ids.slice(first, startOfLine(a, end)), b.ids.slice(next, startOfLine(b, to))];
    return diff(words, others, newBudget(), undefined, MAX_CHANGES).map((edit) => ({
      start: first + edit.start,
      end: first + edit.end,
      from: next + edit.from,
      to: next + edit.to,
    }));
  });
  return findCounterparts(a.ids.length, edits);
}

/**
 * LIMIT: number of changed words in differing lines, so that the diff takes limited time. With more
 * changed words, all words of these lines count as changed.
 */
const MAX_CHANGES = 2_000;

type SearchNode = {
  readonly place: VersionPositions;
  readonly before: SearchNode | undefined;
  readonly changes: number;
};

/**
 * Queue of positions, ordered by the expected number of changes, smallest first. Of positions with
 * equal numbers, the last added position comes first.
 */
class SearchQueue {
  readonly #nodes: SearchNode[][] = [];
  #at = 0;

  push(node: SearchNode, changes: number): void {
    while (this.#nodes.length <= changes) this.#nodes.push([]);
    this.#nodes[changes]?.push(node);
  }

  pop(): SearchNode | undefined {
    while (this.#nodes[this.#at]?.length === 0) this.#at++;
    return this.#nodes[this.#at]?.pop();
  }
}

/** LIMIT: number of positions that one search visits, so that the search takes limited time. */
const MAX_PLACES = 100_000;

/**
 * Finds the rows from one position to another that mean the fewest changes (A*). Returns undefined
 * if a limit is exceeded.
 */
function searchRows(four: FourSequences, from: VersionPositions, to: VersionPositions): VersionPositions[] | undefined {
  const estimateChanges = createChangeEstimate(four, from, to);
  const queue = new SearchQueue();
  queue.push({ place: from, before: undefined, changes: 0 }, estimateChanges(from));
  const visitedPlaces = new Set<string>();
  for (let node = queue.pop(); node !== undefined && visitedPlaces.size < MAX_PLACES; node = queue.pop()) {
    const lastNode = followCommonWords(four, node, to);
    if (areSequencesEqual(lastNode.place, to)) return toRows(lastNode);
    const key = lastNode.place.join();
    if (visitedPlaces.has(key)) continue;
    visitedPlaces.add(key);
    for (const { by: step, changes } of SEARCH_STEPS) {
      const positions = advancePositions(lastNode.place, step);
      if (!isSameWord(four, lastNode.place, positions, to)) continue;
      const nextNode = { place: positions, before: lastNode, changes: lastNode.changes + changes };
      queue.push(nextNode, nextNode.changes + estimateChanges(positions));
    }
  }
  return undefined;
}

function isSameWord(
  four: FourSequences,
  place: VersionPositions,
  next: VersionPositions,
  to: VersionPositions,
): boolean {
  let piece = -1;
  for (const [text, all] of four.entries()) {
    const index = place[text] as number;
    if (next[text] === index) continue;
    if (index >= (to[text] as number) || (piece >= 0 && all[index] !== piece)) return false;
    piece = all[index] as number;
  }
  return true;
}

function followCommonWords(four: FourSequences, node: SearchNode, to: VersionPositions): SearchNode {
  let lastNode = node;
  for (;;) {
    const positions = advancePositions(lastNode.place, [1, 1, 1, 1]);
    if (!isSameWord(four, lastNode.place, positions, to)) return lastNode;
    lastNode = { place: positions, before: lastNode, changes: lastNode.changes };
  }
}

function toRows(last: SearchNode): VersionPositions[] {
  const rows: VersionPositions[] = [];
  for (let { place, before } = last; before !== undefined; { place, before } = before) {
    const previousPositions = before.place;
    rows.push(
      place.map((next, text) => (next === previousPositions[text] ? -1 : next - 1)) as unknown as VersionPositions,
    );
  }
  return rows.reverse();
}

/**
 * Returns a function that estimates the number of changes from a position to the end of all
 * versions. The estimate is never too high. For each side, the function adds the number of words
 * that only base or only the side has. The difference in the number of all other words is also
 * added.
 */
function createChangeEstimate(
  four: FourSequences,
  from: VersionPositions,
  to: VersionPositions,
): (place: VersionPositions) => number {
  const countNotInOther = (text: number, other: number): Int32Array => {
    const otherWords = new Set(four[other]?.slice(from[other], to[other]));
    const counts = new Int32Array((to[text] as number) - (from[text] as number) + 1);
    for (let index = counts.length - 2; index >= 0; index--) {
      const isInOther = otherWords.has(four[text]?.[(from[text] as number) + index] as number);
      counts[index] = (counts[index + 1] as number) + Number(!isInOther);
    }
    return counts;
  };
  const sides = [1, 2].map((side) => ({ side, removed: countNotInOther(0, side), added: countNotInOther(side, 0) }));
  return (place) =>
    sides.reduce((sum, { side, removed, added }) => {
      const [less, more] = [removed[place[0] - from[0]] as number, added[place[side]! - from[side]!] as number];
      const [was, is] = [to[0] - place[0] - less, to[side]! - place[side]! - more];
      return sum + less + more + Math.abs(was - is);
    }, 0);
}
