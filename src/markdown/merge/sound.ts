import { headingsOf } from "../outline/headings.ts";
import { reserveSteps } from "./budget.ts";
import { areAlike, type Contexts, contextsOf, hasContexts, type BlockStack } from "./contexts.ts";
import { type OfFour, hasNoNewFaults, mapFour } from "./counts.ts";
import { counterparts } from "./edits.ts";
import { beginsWithRule, readFrontMatterOfFile } from "./front-matter.ts";
import { inlineFaults } from "./inline.ts";
import { diffFilled, type LineReader, readLines } from "./reading.ts";
import { rowsFit } from "./tables.ts";
import { isSoftBreak } from "./tokens.ts";
import { wordsOf } from "./words.ts";

/**
 * Returns true if the result is as sound Markdown as both sides. The result may have no more
 * unclosed, duplicate or misplaced elements than the sides account for (`hasNoNewFaults`). Lines
 * must stay in the fences, directives and HTML blocks in which a side put them.
 */
export function isSoundMarkdown(originals: OfFour<string>, reading: LineReader): boolean {
  // This single charge pays for reading lines, contexts and blocks.
  if (!reserveSteps(reading, 4 * originals[3].length)) return false;
  const texts = mapFour(originals, (text) => text.replaceAll("\r\n", "\n"));
  const [, l, r, m] = texts;
  const lines = mapFour(texts, (text) => readLines(text, reading).lines);
  return (
    keepsBlocks([l, r, m], reading) &&
    keepsNames(m, lines) &&
    keepsSections(texts) &&
    keepsOneId(lines) &&
    (!m.includes("|") || rowsFit(lines)) &&
    (!m.includes("\n") || ![l, r].some(hasContexts) || keepsContexts(texts, reading))
  );
}

/**
 * Returns true if the result begins as the side that changed the beginning: with readable front
 * matter, with a rule, or with neither.
 */
export function keepsFrontMatter(texts: OfFour<string>): boolean {
  const kindOf = (text: string): string => {
    if (readFrontMatterOfFile(text) !== undefined) return "front matter";
    return beginsWithRule(text) ? "rule" : "none";
  };
  const [was, mine, theirs, is] = mapFour(texts, kindOf);
  return mine === was ? is === theirs : is === mine && (theirs === was || theirs === mine);
}

/**
 * Returns true if blocks that only the result has (paragraphs, headings, items, rows) have no more
 * faults than the blocks from which they were made.
 */
function keepsBlocks(texts: readonly [local: string, remote: string, merged: string], reading: LineReader): boolean {
  const [l, r, m] = texts.map((text): KnownIds => {
    const { ids, lines } = readLines(text, reading);
    return { lines, ids, has: new Set(ids) };
  }) as [KnownIds, KnownIds, KnownIds];
  const newFaults = faultsOf(m, [l, r]);
  return newFaults === 0 || newFaults <= Math.max(faultsOf(l, [m]), faultsOf(r, [m]));
}

type KnownIds = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly has: ReadonlySet<number>;
};

/** Counts the faults in those blocks of a text that no other text has. */
function faultsOf({ lines, ids }: KnownIds, others: readonly [KnownIds, ...KnownIds[]]): number {
  let faults = 0;
  let checkedUpTo = 0;
  for (let index = 0; index < lines.length; index++) {
    // Skips lines that the first other text has: a new block has at least one line that the first
    // other text lacks.
    if (others[0].has.has(ids[index] as number)) continue;
    let start = index;
    let end = index + 1;
    while (start > checkedUpTo && isSoftBreak(lines[start - 1] as string, lines[start] as string)) start--;
    while (end < lines.length && isSoftBreak(lines[end - 1] as string, lines[end] as string)) end++;
    const block = ids.slice(start, end);
    const isInOther = others.some(({ has }) => block.every((id) => has.has(id)));
    if (!isInOther) faults += inlineFaults(lines.slice(start, end).join(""));
    checkedUpTo = end;
    index = end - 1;
  }
  return faults;
}

const TWO_IDS = /^\s*#.*\{(?:#|\/\*)[^}\n]{1,120}\}.*\{(?:#|\/\*)/;

/**
 * Returns true if the merge made no heading with two ids, as in `# Title {#one} {#two}`: both sides
 * may have given the heading an id.
 */
function keepsOneId([, local, remote, merged]: OfFour<readonly string[]>): boolean {
  return merged
    .filter((line) => line.includes("{") && TWO_IDS.test(line))
    .every((line) => local.includes(line) || remote.includes(line));
}

/** A syntax that defines names. `has`: substring of every line that uses this syntax. */
type Naming = { readonly pattern: RegExp; readonly has: string };

const DEFINITION: Naming = {
  pattern: /^\s{0,3}\[(?<name>[^\]\n]{1,200})\]:\s*(?<what>.*)$/,
  has: "]:",
};
const HEADING_ID: Naming = {
  pattern: /^(?<what>\s*#{1,6}\s.*\{(?:#|\/\*)(?<name>[^}\s]{1,120})\}\s*)$/,
  has: "{",
};

/**
 * Returns true if the merge gives no two definitions, and no two heading ids, the same name.
 * Duplicates that a side already had are allowed.
 */
function keepsNames(merged: string, texts: OfFour<readonly string[]>): boolean {
  if (merged.includes("]:") && !keepsSingle(DEFINITION, texts)) return false;
  return !/\{#|\{\/\*/.test(merged) || keepsSingle(HEADING_ID, texts);
}

/** Returns true if one syntax has no more duplicate names than the sides account for. */
function keepsSingle(naming: Naming, texts: OfFour<readonly string[]>): boolean {
  return hasNoNewFaults(mapFour(texts, (lines) => countDuplicates(lines, naming)));
}

function countDuplicates(lines: readonly string[], { pattern, has }: Naming): number {
  const known = new Map<string, string>();
  let count = 0;
  for (const line of lines) {
    if (!line.includes(has)) continue;
    const { name, what } = pattern.exec(line.trimEnd())?.groups ?? {};
    if (name === undefined || what === undefined) continue;
    const key = name.toLowerCase();
    if ((known.get(key) ?? what) !== what) count++;
    known.set(key, what);
  }
  return count;
}

/** Returns true if each line of the merged text is in the same block as on at least one side. */
function keepsContexts(texts: OfFour<string>, reading: LineReader): boolean {
  const contexts = mapFour(texts, (text) => contextsOf(readLines(text, reading).lines, reading.nest));
  if (!hasNoNewFaults(mapFour(contexts, ({ faults }) => faults))) return false;
  if (contexts.every(({ outline }) => outline === contexts[0].outline)) return true;
  return staysInside(linesInside(texts, contexts, reading), reading.nest);
}

/** The context of a line in the merged text, and in each other text that has the line. */
type LineContexts = {
  readonly is: BlockStack;
  readonly was: BlockStack | undefined;
  readonly mine: BlockStack | undefined;
  readonly theirs: BlockStack | undefined;
};

/**
 * Returns the contexts of the lines of the merged text, which is `texts[3]`. Leaves out blank
 * lines, and lines that open or close a block.
 */
function linesInside(texts: OfFour<string>, contexts: OfFour<Contexts>, reading: LineReader): LineContexts[] {
  const m = contexts[3];
  const filled = mapFour(texts, (text) => readLines(text, reading).filled);
  const { indexes } = filled[3];
  const insideOf = (text: 0 | 1 | 2): ((line: number) => BlockStack | undefined) => {
    const inOther = counterparts(indexes.length, diffFilled(texts[3], texts[text], reading));
    return (line) => contexts[text].around[filled[text].indexes[inOther[line] as number] ?? -1];
  };
  const [was, mine, theirs] = [insideOf(0), insideOf(1), insideOf(2)];
  return indexes.flatMap((place, line) => {
    if (m.marks[place]) return [];
    return [{ is: m.around[place] as BlockStack, was: was(line), mine: mine(line), theirs: theirs(line) }];
  });
}

/**
 * Returns true if each line has a context that a side gave it. A line of one side may be in a block
 * that the other side put around it. Then the lines of both sides before and after must be in that
 * block too.
 */
function staysInside(lines: readonly LineContexts[], root: BlockStack): boolean {
  let [known, pending] = [root, root];
  for (const line of lines) {
    const { is, mine, theirs } = line;
    if (hasBoth(line)) {
      if (!isPicked(line) || (pending !== root && pending !== is)) return false;
      [known, pending] = [is, root];
      // `areAlike` compares only depth and kind: the other side may have renamed the outer block.
    } else if (!areAlike(is, mine ?? theirs ?? is)) {
      if (is !== known) return false;
      pending = is;
    }
  }
  return pending === root;
}

type LineOfBoth = LineContexts & { readonly mine: BlockStack; readonly theirs: BlockStack };

function hasBoth(line: LineContexts): line is LineOfBoth {
  return line.mine !== undefined && line.theirs !== undefined;
}

/**
 * Returns true if the context of a line is the one that a side gave the line by a change. `was`:
 * context in base; undefined for new lines.
 */
function isPicked({ was, mine, theirs, is }: LineOfBoth): boolean {
  if (mine === theirs) return is === mine;
  if (was === undefined) return is === mine || is === theirs;
  return mine === was ? is === theirs : theirs === was && is === mine;
}

/** Beginnings of the marker lines that a tool writes around a conflict, in order. */
const MARKERS = ["<<<<<<< ", "=======", ">>>>>>> "];

/** Returns true if a text has conflict markers that a tool wrote and nobody resolved. */
export function isUnresolved(text: string): boolean {
  let offset = text.startsWith(MARKERS[0] as string) ? 0 : text.indexOf(`\n${MARKERS[0]}`);
  for (const marker of MARKERS.slice(1)) {
    if (offset < 0) return false;
    offset = text.indexOf(`\n${marker}`, offset + 1);
  }
  return offset >= 0;
}

/**
 * Returns true unless a section of the merged text has several subsections with the same name, more
 * than in any other text. The merged text is the last of the four. To readers, sections with the
 * same name look like one section.
 */
function keepsSections(texts: OfFour<string>): boolean {
  const [base, local, remote, merged] = mapFour(texts, countSections);
  return merged
    .entries()
    .every(([path, count]) => count === 1 || [base, local, remote].some((text) => (text.get(path) ?? 0) >= count));
}

/** Number of sections, by the path of their names from the top. */
type Sections = ReadonlyMap<string, number>;

function countSections(text: string): Sections {
  const counts = new Map<string, number>();
  const path: string[] = [];
  for (const { level, name } of headingsOf(text)) {
    path.length = level;
    // Names that differ only in the order or case of their words count as one name.
    path[level - 1] = wordsOf(name.toLowerCase()).sort().join(" ") || name;
    const key = path.join("\n");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
