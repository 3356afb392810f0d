import { headingsOf } from "../outline/headings.ts";
import { afford } from "./budget.ts";
import { type Contexts, hasContexts, natureOf, type Nests } from "./contexts.ts";
import { counterparts } from "./edits.ts";
import { readFrontMatter } from "./front-matter.ts";
import { inlineFaults } from "./inline.ts";
import { contextsIn, diffFilled, type Filled, type Reading, readLines } from "./reading.ts";
import { normalise } from "./style.ts";
import { rowsFit } from "./tables.ts";
import { flowsOn } from "./tokens.ts";
import { wordsOf } from "./words.ts";

/** The texts of a merge and its result. */
type Merged = { readonly base: string; readonly local: string; readonly remote: string; readonly text: string };

/**
 * Whether the result is as sound Markdown as both sides were: nothing is open, doubled or out of
 * its place that was not so on a side already, and what both sides hold stands in the fences,
 * directives and HTML blocks that it was put in.
 */
export function isSound(merged: Merged, reading: Reading): boolean {
  const { base, local, remote, text } = merged;
  // What is read once each: lines, contexts, blocks.
  if (!afford(reading, 4 * text.length)) return false;
  const [b, l, r, m] = [base, local, remote, text].map((one) => one.replaceAll("\r\n", "\n")) as [
    string,
    string,
    string,
    string,
  ];
  const lines = [b, l, r, m].map((one) => readLines(one, reading).lines);
  return (
    keepsBlocks([l, r, m], reading) &&
    keepsNames(m, lines) &&
    keepsSections([b, l, r, m]) &&
    keepsOneId(lines) &&
    (!m.includes("|") || rowsFit(lines)) &&
    (!m.includes("\n") || ![l, r].some(hasContexts) || keepsContexts([b, l, r, m], reading))
  );
}

/**
 * Whether a count of faults in base, local, remote and merged text is no more than the sides
 * account for.
 */
function within(faults: readonly number[]): boolean {
  const [b, l, r, m] = faults as [number, number, number, number];
  return m <= Math.max(l, r, l + r - b);
}

/**
 * Whether the result opens with readable front matter, with a line of dashes that opens none, or
 * with neither, as the side does which changed that: one line cannot be both.
 */
export function keepsFrontMatter(texts: readonly [string, string, string, string]): boolean {
  const kindOf = (text: string): string => {
    if (!/^\uFEFF?---\r?\n/.test(text)) return "none";
    return readFrontMatter(normalise(text, false)) === undefined ? "rule" : "front matter";
  };
  const [was, mine, theirs, is] = texts.map(kindOf);
  return mine === was ? is === theirs : is === mine && (theirs === was || theirs === mine);
}

/**
 * Paragraphs, headings, items and rows that stand on neither side may have no more faults than
 * those they were made of.
 */
function keepsBlocks(texts: readonly [local: string, remote: string, merged: string], reading: Reading): boolean {
  const [l, r, m] = texts.map((text): Known => {
    const { ids, lines } = readLines(text, reading);
    return { lines, ids, has: new Set(ids) };
  }) as [Known, Known, Known];
  const made = faultsOf(m, [l, r]);
  return made === 0 || made <= Math.max(faultsOf(l, [m]), faultsOf(r, [m]));
}

type Known = { readonly lines: readonly string[]; readonly ids: readonly number[]; readonly has: ReadonlySet<number> };

/** The faults in those blocks of a text that none of the others holds. */
function faultsOf({ lines, ids }: Known, others: readonly [Known, ...Known[]]): number {
  let faults = 0;
  let done = 0;
  for (let at = 0; at < lines.length; at++) {
    // Only a block with a line that the first of the others lacks is not held by it.
    if (others[0].has.has(ids[at] as number)) continue;
    let start = at;
    let end = at + 1;
    while (start > done && flowsOn(lines[start - 1] as string, lines[start] as string)) start--;
    while (end < lines.length && flowsOn(lines[end - 1] as string, lines[end] as string)) end++;
    const block = ids.slice(start, end);
    const held = others.some(({ has }) => block.every((id) => has.has(id)));
    if (!held) faults += inlineFaults(lines.slice(start, end).join(""));
    done = end;
    at = end - 1;
  }
  return faults;
}

const TWO_IDS = /^\s*#.*\{(?:#|\/\*)[^}\n]{1,120}\}.*\{(?:#|\/\*)/;

/** Whether a heading of the merged text, the last of four, has two ids only as it is on a side. */
function keepsOneId([, local = [], remote = [], merged = []]: readonly (readonly string[])[]): boolean {
  return merged
    .filter((line) => line.includes("{") && TWO_IDS.test(line))
    .every((line) => local.includes(line) || remote.includes(line));
}

/** What gives names in a text, and what every line that does so has. */
type Naming = { readonly pattern: RegExp; readonly has: string };

const DEFINITION: Naming = {
  pattern: /^\s{0,3}\[(?<name>[^\]\n]{1,200})\]:\s*(?<what>.*)$/,
  has: "]:",
};
const HEADING_ID: Naming = {
  pattern: /^(?<what>\s*#{1,6}\s.*\{(?:#|\/\*)(?<name>[^}\s]{1,120})\}\s*)$/,
  has: "{",
};

/** Definitions and headings' ids: no name is given to two things that was not so on a side. */
function keepsNames(merged: string, texts: readonly (readonly string[])[]): boolean {
  if (merged.includes("]:") && !keepsSingle(DEFINITION, texts)) return false;
  return !/\{#|\{\/\*/.test(merged) || keepsSingle(HEADING_ID, texts);
}

/** Whether the names of one kind stand for one thing each, but as far as the sides' did. */
function keepsSingle(naming: Naming, texts: readonly (readonly string[])[]): boolean {
  return within(texts.map((lines) => doubled(lines, naming)));
}

function doubled(lines: readonly string[], { pattern, has }: Naming): number {
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

/**
 * Whether the lines that both sides hold stand in what the sides put them in, and the others where
 * their side had them.
 */
function keepsContexts(texts: readonly [string, string, string, string], reading: Reading): boolean {
  const [b, l, r, m] = texts.map((text) => contextsIn(readLines(text, reading), reading)) as [
    Contexts,
    Contexts,
    Contexts,
    Contexts,
  ];
  if (!within([b.faults, l.faults, r.faults, m.faults])) return false;
  if ([l, r, m].every((one) => one.outline === b.outline)) return true;
  return staysInside(linesInside(texts, [b, l, r, m], reading), reading.nests);
}

/** What a line of the merged text stands in there and in each of the others, where they have it. */
type Inside = {
  readonly is: number;
  readonly was: number | undefined;
  readonly mine: number | undefined;
  readonly theirs: number | undefined;
};

/** The lines of the merged text, the last of four, that are neither marks nor blank. */
function linesInside(
  texts: readonly [string, string, string, string],
  [b, l, r, m]: readonly [Contexts, Contexts, Contexts, Contexts],
  reading: Reading,
): Inside[] {
  const filled = texts.map((text) => readLines(text, reading).filled);
  const { at } = filled[3] as Filled;
  const insideOf = (contexts: Contexts, which: number): ((line: number) => number | undefined) => {
    const there = counterparts(at.length, diffFilled(texts[3], texts[which] as string, reading));
    return (line) => contexts.around[filled[which]?.at[there[line] as number] ?? -1];
  };
  const [was, mine, theirs] = [insideOf(b, 0), insideOf(l, 1), insideOf(r, 2)];
  return at.flatMap((place, line) => {
    if (m.marks[place]) return [];
    return [{ is: m.around[place] as number, was: was(line), mine: mine(line), theirs: theirs(line) }];
  });
}

/**
 * Whether each line stands in what a side put it in. A line that one side alone has may stand in
 * what the other one put around all of it: in what the lines of both sides before and after do.
 */
function staysInside(lines: readonly Inside[], nests: Nests): boolean {
  let known = 0;
  let pending = 0;
  for (const line of lines) {
    const { is, mine, theirs } = line;
    if (hasBoth(line)) {
      if (!isPicked(line) || (pending !== 0 && pending !== is)) return false;
      known = is;
      pending = 0;
    } else if (isElsewhere(is, mine ?? theirs, nests)) {
      if (is !== known) return false;
      pending = is;
    }
  }
  return pending === 0;
}

type OfBoth = Inside & { readonly mine: number; readonly theirs: number };

function hasBoth(line: Inside): line is OfBoth {
  return line.mine !== undefined && line.theirs !== undefined;
}

/**
 * Whether a line of one side stands in something else than it did there; the other side may have
 * given what is around it another name.
 */
function isElsewhere(is: number, was: number | undefined, nests: Nests): boolean {
  return was !== undefined && natureOf(is, nests) !== natureOf(was, nests);
}

/** Whether a context is that of the side which changed it; `was` is undefined in new lines. */
function isPicked({ was, mine, theirs, is }: OfBoth): boolean {
  if (mine === theirs) return is === mine;
  if (was === undefined) return is === mine || is === theirs;
  return mine === was ? is === theirs : theirs === was && is === mine;
}

/** What the lines of a conflict that a tool wrote into a text begin with, in order. */
const MARKERS = ["<<<<<<< ", "=======", ">>>>>>> "];

/** Whether a text has a conflict in it that a tool wrote there and nobody has resolved yet. */
export function isUnresolved(text: string): boolean {
  let at = text.startsWith(MARKERS[0] as string) ? 0 : text.indexOf(`\n${MARKERS[0]}`);
  for (const marker of MARKERS.slice(1)) {
    if (at < 0) return false;
    at = text.indexOf(`\n${marker}`, at + 1);
  }
  return at >= 0;
}

/**
 * Whether no section of the merged text, the last of four, has more sections of one name in it than
 * that section has in one of the others: to readers they are one section.
 */
function keepsSections(texts: readonly string[]): boolean {
  const [base, local, remote, merged] = texts.map(countSections) as [Sections, Sections, Sections, Sections];
  return merged
    .entries()
    .every(([path, count]) => count === 1 || [base, local, remote].some((text) => (text.get(path) ?? 0) >= count));
}

/** How often there is a section, by the names of those that it is in and its own. */
type Sections = ReadonlyMap<string, number>;

function countSections(text: string): Sections {
  const counts = new Map<string, number>();
  const path: string[] = [];
  for (const { level, name } of headingsOf(text)) {
    path.length = level;
    // Names that differ in the order or the case of their words alone are one name.
    path[level - 1] = wordsOf(name.toLowerCase()).sort().join(" ") || name;
    const key = path.join("\n");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
