import { readHeadings } from "../outline/outline.ts";
import { reserveSteps } from "./budget.ts";
import { areSimilarStacks, type BlockContexts, type BlockStack, mayHaveBlocks, readBlockContexts } from "./contexts.ts";
import { type FourVersions, hasNoNewFaults, mapVersions } from "./counts.ts";
import { findCounterparts } from "./edits.ts";
import { beginsWithRule, readFrontMatterOfFile } from "./front-matter.ts";
import { countInlineFaults } from "./inline.ts";
import { diffFilledLines, type MergeReading, readLines } from "./reading.ts";
import { isSoftBreak, splitIntoWords } from "./tokens.ts";

/**
 * Returns true if the merged version is as sound Markdown as both sides. The faults of the sides
 * must explain the number of unclosed, duplicate and misplaced elements (`hasNoNewFaults`). Each
 * line must stay in the code fence, directive or HTML element in which a side put the line.
 */
export function isSoundMarkdown(originals: FourVersions<string>, reading: MergeReading): boolean {
  // The reserved steps pay for all checks of this function together.
  if (!reserveSteps(reading, 4 * originals[3].length)) return false;
  const texts = mapVersions(originals, (text) => text.replaceAll("\r\n", "\n"));
  const [, l, r, m] = texts;
  const lines = mapVersions(texts, (text) => readLines(text, reading).lines);
  return (
    keepsBlocks([l, r, m], reading) &&
    keepsNames(m, lines) &&
    keepsSections(texts) &&
    keepsOneId(lines) &&
    (!m.includes("|") || keepsRowsInColumns(lines)) &&
    (!m.includes("\n") || ![l, r].some(mayHaveBlocks) || keepsContexts(texts, reading))
  );
}

/**
 * Returns true if the merged version begins like the side that changed the beginning. There are
 * three kinds of beginnings: readable front matter, a line `---`, or neither.
 */
export function keepsFrontMatter(texts: FourVersions<string>): boolean {
  const kindOf = (text: string): string => {
    if (readFrontMatterOfFile(text) !== undefined) return "front matter";
    return beginsWithRule(text) ? "rule" : "none";
  };
  const [was, mine, theirs, is] = mapVersions(texts, kindOf);
  return mine === was ? is === theirs : is === mine && (theirs === was || theirs === mine);
}

/**
 * Returns true if no paragraph, heading, item or row of the merged version has new faults, such as
 * unclosed emphasis. Checks only blocks that a side lacks. Such blocks may have as many faults as
 * the blocks of a side from which the merge made them.
 */
function keepsBlocks(texts: readonly [local: string, remote: string, merged: string], reading: MergeReading): boolean {
  const [l, r, m] = texts.map((text): NumberedLines => {
    const { ids, lines } = readLines(text, reading);
    return { lines, ids, has: new Set(ids) };
  }) as [NumberedLines, NumberedLines, NumberedLines];
  const newFaults = countFaultsOutside(m, [l, r]);
  return newFaults === 0 || newFaults <= Math.max(countFaultsOutside(l, [m]), countFaultsOutside(r, [m]));
}

type NumberedLines = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly has: ReadonlySet<number>;
};

function countFaultsOutside(
  { lines, ids }: NumberedLines,
  others: readonly [NumberedLines, ...NumberedLines[]],
): number {
  let faults = 0;
  let checkedUpTo = 0;
  for (let index = 0; index < lines.length; index++) {
    // Only paragraphs that all other versions lack are counted. Each of these paragraphs has a line
    // that the first other version lacks, so lines of that version need no check.
    if (others[0].has.has(ids[index] as number)) continue;
    let blockStart = index;
    let blockEnd = index + 1;
    while (blockStart > checkedUpTo && isSoftBreak(lines[blockStart - 1] as string, lines[blockStart] as string))
      blockStart--;
    while (blockEnd < lines.length && isSoftBreak(lines[blockEnd - 1] as string, lines[blockEnd] as string)) blockEnd++;
    const block = ids.slice(blockStart, blockEnd);
    const isInOther = others.some(({ has }) => block.every((id) => has.has(id)));
    if (!isInOther) faults += countInlineFaults(lines.slice(blockStart, blockEnd).join(""));
    checkedUpTo = blockEnd;
    index = blockEnd - 1;
  }
  return faults;
}

const HEADING_WITH_TWO_IDS = /^\s*#.*\{(?:#|\/\*)[^}\n]{1,120}\}.*\{(?:#|\/\*)/;

/**
 * Returns false if the merge made a heading with two ids, such as `# Title {#one} {#two}`, because
 * each side gave the heading an id.
 */
function keepsOneId([, local, remote, merged]: FourVersions<readonly string[]>): boolean {
  return merged
    .filter((line) => line.includes("{") && HEADING_WITH_TWO_IDS.test(line))
    .every((line) => local.includes(line) || remote.includes(line));
}

/** `has`: a string that every line of this syntax contains, for a quick test. */
type NameSyntax = { readonly pattern: RegExp; readonly has: string };

const DEFINITION: NameSyntax = {
  pattern: /^\s{0,3}\[(?<name>[^\]\n]{1,200})\]:\s*(?<what>.*)$/,
  has: "]:",
};
const HEADING_ID: NameSyntax = {
  pattern: /^(?<what>\s*#{1,6}\s.*\{(?:#|\/\*)(?<name>[^}\s]{1,120})\}\s*)$/,
  has: "{",
};

/**
 * Returns false if the merge made two link definitions, or two heading ids, with the same name.
 * Duplicates that a side already had are allowed.
 */
function keepsNames(merged: string, texts: FourVersions<readonly string[]>): boolean {
  if (merged.includes("]:") && !keepsNamesSingle(DEFINITION, texts)) return false;
  return !/\{#|\{\/\*/.test(merged) || keepsNamesSingle(HEADING_ID, texts);
}

function keepsNamesSingle(naming: NameSyntax, texts: FourVersions<readonly string[]>): boolean {
  return hasNoNewFaults(mapVersions(texts, (lines) => countDuplicates(lines, naming)));
}

function countDuplicates(lines: readonly string[], { pattern, has }: NameSyntax): number {
  const definitionsByName = new Map<string, string>();
  let count = 0;
  for (const line of lines) {
    if (!line.includes(has)) continue;
    const { name, what } = pattern.exec(line.trimEnd())?.groups ?? {};
    if (name === undefined || what === undefined) continue;
    const key = name.toLowerCase();
    if ((definitionsByName.get(key) ?? what) !== what) count++;
    definitionsByName.set(key, what);
  }
  return count;
}

function keepsContexts(texts: FourVersions<string>, reading: MergeReading): boolean {
  const contexts = mapVersions(texts, (text) => readBlockContexts(readLines(text, reading).lines, reading.nest));
  if (!hasNoNewFaults(mapVersions(contexts, ({ faults }) => faults))) return false;
  if (contexts.every(({ outline }) => outline === contexts[0].outline)) return true;
  return keepsEachBlock(readLineBlocks(texts, contexts, reading), reading.nest);
}

/**
 * Markdown blocks that are open at a line of the merged version (`is`), and at the same line of
 * base (`was`), local and remote. Undefined for a version without this line.
 */
type LineBlocks = {
  readonly is: BlockStack;
  readonly was: BlockStack | undefined;
  readonly mine: BlockStack | undefined;
  readonly theirs: BlockStack | undefined;
};

function readLineBlocks(
  texts: FourVersions<string>,
  contexts: FourVersions<BlockContexts>,
  reading: MergeReading,
): LineBlocks[] {
  const mergedContexts = contexts[3];
  const filledLines = mapVersions(texts, (text) => readLines(text, reading).filled);
  const { indexes } = filledLines[3];
  const readBlocksOf = (text: 0 | 1 | 2): ((line: number) => BlockStack | undefined) => {
    const indexesInOther = findCounterparts(indexes.length, diffFilledLines(texts[3], texts[text], reading));
    return (line) => contexts[text].around[filledLines[text].indexes[indexesInOther[line] as number] ?? -1];
  };
  const [was, mine, theirs] = [readBlocksOf(0), readBlocksOf(1), readBlocksOf(2)];
  return indexes.flatMap((place, line) => {
    if (mergedContexts.marks[place]) return [];
    return [{ is: mergedContexts.around[place] as BlockStack, was: was(line), mine: mine(line), theirs: theirs(line) }];
  });
}

/**
 * Returns true if each line is in a Markdown block in which a side put the line. If only one side
 * has a line, the other side may have added a block around it. The nearest lines of both sides,
 * before and after this line, must then be in that block, too.
 */
function keepsEachBlock(lines: readonly LineBlocks[], root: BlockStack): boolean {
  let [known, pending] = [root, root];
  for (const line of lines) {
    const { is, mine, theirs } = line;
    if (isOnBothSides(line)) {
      if (!isChosenBlock(line) || (pending !== root && pending !== is)) return false;
      [known, pending] = [is, root];
      // The comparison ignores the names of the blocks, because the other side may have renamed a
      // block around the line.
    } else if (!areSimilarStacks(is, mine ?? theirs ?? is)) {
      if (is !== known) return false;
      pending = is;
    }
  }
  return pending === root;
}

type LineOfBothSides = LineBlocks & { readonly mine: BlockStack; readonly theirs: BlockStack };

function isOnBothSides(line: LineBlocks): line is LineOfBothSides {
  return line.mine !== undefined && line.theirs !== undefined;
}

/**
 * Returns true if a line that both sides have is in the right Markdown block. If only one side
 * changed the block of the line, the block of that side is the right one. A line that base lacks
 * may be in the block of either side.
 */
function isChosenBlock({ was, mine, theirs, is }: LineOfBothSides): boolean {
  if (mine === theirs) return is === mine;
  if (was === undefined) return is === mine || is === theirs;
  return mine === was ? is === theirs : theirs === was && is === mine;
}

const CONFLICT_MARKERS = [/^<<<<<<< /, /^=======\r?$/, /^>>>>>>> /];

export function hasConflictMarkers(text: string): boolean {
  if (!text.includes("<<<<<<< ")) return false;
  let foundMarkers = 0;
  for (const line of text.split("\n")) if (CONFLICT_MARKERS[foundMarkers]?.test(line)) foundMarkers++;
  return foundMarkers === CONFLICT_MARKERS.length;
}

/**
 * Returns false if the merge made a section with several subsections of the same name: readers
 * would mistake them for one. Allows as many as base or a side already had.
 */
function keepsSections(texts: FourVersions<string>): boolean {
  const [base, local, remote, merged] = mapVersions(texts, countSections);
  return merged
    .entries()
    .every(([path, count]) => count === 1 || [base, local, remote].some((text) => (text.get(path) ?? 0) >= count));
}

/** Number of sections for each path of heading names, which begins at the top heading. */
type SectionCounts = ReadonlyMap<string, number>;

function countSections(text: string): SectionCounts {
  const counts = new Map<string, number>();
  const path: string[] = [];
  for (const { level, name } of readHeadings(text)) {
    path.length = level;
    // Names count as equal if they have the same words, in any order and case.
    path[level - 1] = splitIntoWords(name.toLowerCase()).sort().join(" ") || name;
    const key = path.join("\n");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

type MarkdownTable = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Reads the tables of a version. Tables in code fences count as well, without harm, because all
 * versions are read in the same way.
 */
function readTables(lines: readonly string[]): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  for (let index = 1; index < lines.length; index++) {
    const [above, rule] = [lines[index - 1] as string, lines[index] as string];
    if (!rule.includes("-") || !rule.includes("|") || !TABLE_RULE.test(rule) || !above.includes("|")) continue;
    const headerCells = readCells(above);
    if (readCells(rule).length !== headerCells.length) continue;
    const rows: string[][] = [];
    for (index++; (lines[index] ?? "").includes("|"); index++) rows.push(readCells(lines[index] as string));
    tables.push({ head: headerCells, rows });
  }
  return tables;
}

function readCells(row: string): string[] {
  const trimmedRow = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return trimmedRow.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/**
 * Returns false if a merge could put cells in wrong columns. Returns true if both sides have a
 * table with the same new columns. Otherwise each table of base must be unchanged on one side, or
 * have its columns on both sides. Columns are compared by their names. If a side renamed the
 * columns, but kept a row of the table unchanged, the columns count as kept.
 */
export function keepsColumns(texts: readonly (readonly string[])[]): boolean {
  const [base, ...sides] = texts.map((lines) => readTables(lines).map(writeTable)) as [
    WrittenTable[],
    ...WrittenTable[][],
  ];
  const headerSets = sides.map((tables) => new Set(tables.map(({ head }) => head)));
  const rows = sides.map((tables) => new Set(tables.flatMap((table) => table.rows)));
  const baseHeads = new Set(base.map(({ head }) => head));
  if (headerSets[0]?.values().some((head) => !baseHeads.has(head) && headerSets[1]?.has(head))) return true;
  return base.every(
    (table) =>
      sides.some((tables) => tables.some(({ whole }) => whole === table.whole)) ||
      sides.every((_, side) => headerSets[side]?.has(table.head) || table.rows.some((row) => rows[side]?.has(row))),
  );
}

type WrittenTable = { readonly head: string; readonly rows: readonly string[]; readonly whole: string };

function writeTable(table: MarkdownTable): WrittenTable {
  const [head = "", ...rows] = [table.head, ...table.rows].map((cells) => cells.join("|"));
  return { head, rows, whole: [head, ...rows].join("\n") };
}

/**
 * Returns true if the rows of the merged version are below their own column names. The sides must
 * explain the number of rows that have a wrong number of cells.
 */
function keepsRowsInColumns(texts: FourVersions<readonly string[]>): boolean {
  const tables = mapVersions(texts, readTables);
  if (!hasNoNewFaults(mapVersions(tables, countMisfitRows))) return false;
  const [, l, r, m] = tables;
  const sides = [l, r].map(
    (tables) => new Map(tables.flatMap(({ head, rows }) => rows.map((row) => [row.join("|"), head]))),
  );
  return m.every(({ head, rows }) =>
    rows.every((row) => {
      const headersOnSides = sides.map((heads) => heads.get(row.join("|"))).filter((names) => names !== undefined);
      return (
        headersOnSides.length === 0 ||
        headersOnSides.some((names) => names.every((name, index) => name === head[index] || !head.includes(name)))
      );
    }),
  );
}

function countMisfitRows(tables: readonly MarkdownTable[]): number {
  return tables.reduce((sum, { head, rows }) => sum + rows.filter((row) => row.length !== head.length).length, 0);
}
