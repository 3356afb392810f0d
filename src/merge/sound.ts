import { afford, type Budget } from "./budget.ts";
import { type Contexts, hasContexts } from "./contexts.ts";
import { readFrontMatter } from "./front-matter.ts";
import { inlineFaults } from "./inline.ts";
import { counterparts } from "./myers.ts";
import { contextsIn, diffLines, readLines } from "./scripts.ts";
import { rowsFit } from "./tables.ts";
import { flowsOn } from "./tokens.ts";

/** The texts of a merge and its result. */
export type Merged = { readonly base: string; readonly local: string; readonly remote: string; readonly text: string };

/**
 * Whether the result is as sound Markdown as both sides were: nothing is open, doubled or out of
 * its place that was not so on a side already, and what both sides hold stands in the fences,
 * directives and HTML blocks that it was put in.
 */
export function isSound(merged: Merged, budget: Budget): boolean {
  const { base, local, remote, text } = merged;
  // What is read once each: lines, contexts, blocks.
  if (!afford(budget, 4 * text.length)) return false;
  const [b, l, r, m] = [base, local, remote, text].map((one) => one.replaceAll("\r\n", "\n")) as [
    string,
    string,
    string,
    string,
  ];
  const lines = [b, l, r, m].map((one) => readLines(one, budget).lines);
  return (
    keepsFrontMatter(l, r, m) &&
    keepsBlocks([l, r, m], budget) &&
    keepsNames(m, lines) &&
    (!m.includes("|") || rowsFit(lines)) &&
    (!m.includes("\n") || ![l, r].some(hasContexts) || keepsContexts([b, l, r, m], budget))
  );
}

/**
 * Whether a count of faults in base, local, remote and merged text is no more than the sides
 * account for.
 */
export function within(faults: readonly number[]): boolean {
  const [b, l, r, m] = faults as [number, number, number, number];
  return m <= Math.max(l, r, l + r - b);
}

function keepsFrontMatter(local: string, remote: string, merged: string): boolean {
  const opens = (one: string): boolean => one.startsWith("---\n");
  const readable = (one: string): boolean => readFrontMatter(one) !== undefined;
  return !opens(merged) || readable(merged) || [local, remote].some((side) => opens(side) && !readable(side));
}

/**
 * Paragraphs, headings, items and rows that stand on neither side may have no more faults than
 * those they were made of.
 */
function keepsBlocks(texts: readonly [local: string, remote: string, merged: string], budget: Budget): boolean {
  const known = (text: string): Known => {
    const { ids, lines } = readLines(text, budget);
    return { lines, ids, has: new Set(ids) };
  };
  const [l, r, m] = texts.map(known) as [Known, Known, Known];
  const made = faultsOf(m, [l, r]);
  return made === 0 || made <= Math.max(faultsOf(l, [m]), faultsOf(r, [m]));
}

type Known = { readonly lines: readonly string[]; readonly ids: readonly number[]; readonly has: ReadonlySet<number> };

/** The faults in those blocks of a text that none of the others holds. */
function faultsOf({ lines, ids }: Known, others: readonly [Known, ...Known[]]): number {
  let [faults, done] = [0, 0];
  for (let at = 0; at < lines.length; at++) {
    // Only a block with a line that the first of the others lacks is not held by it.
    if (others[0].has.has(ids[at] as number)) continue;
    let [start, end] = [at, at + 1];
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

const DEFINITION = /^\s{0,3}\[(?<name>[^\]\n]{1,200})\]:\s*(?<what>.*)$/;
const HEADING_ID = /^(?<what>\s*#{1,6}\s.*\{(?:#|\/\*)(?<name>[^}\s]{1,120})\}\s*)$/;

/** Definitions and headings' ids: no name is given to two things that was not so on a side. */
function keepsNames(merged: string, texts: readonly (readonly string[])[]): boolean {
  const once = (pattern: RegExp): boolean => within(texts.map((lines) => doubled(lines, pattern)));
  return (!merged.includes("]:") || once(DEFINITION)) && (!/\{#|\{\/\*/.test(merged) || once(HEADING_ID));
}

function doubled(lines: readonly string[], pattern: RegExp): number {
  const known = new Map<string, string>();
  let count = 0;
  for (const line of lines) {
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
function keepsContexts(texts: readonly [string, string, string, string], budget: Budget): boolean {
  const merged = readLines(texts[3], budget).lines;
  const [b, l, r, m] = texts.map((text) => contextsIn(readLines(text, budget))) as [
    Contexts,
    Contexts,
    Contexts,
    Contexts,
  ];
  if (!within([b.faults, l.faults, r.faults, m.faults])) return false;
  if ([l, r, m].every((one) => one.outline === b.outline)) return true;
  const length = m.around.length;
  const [toBase, toLocal, toRemote] = [0, 1, 2].map((at) =>
    counterparts(length, diffLines(texts[3], texts[at] as string, budget)),
  ) as [Int32Array, Int32Array, Int32Array];
  const read = (side: Contexts, map: Int32Array, at: number): string | undefined => side.around[map[at] as number];
  let [known, pending] = ["", ""];
  for (let at = 0; at < length; at++) {
    const is = m.around[at] as string;
    if (m.marks[at] || merged[at]?.trim() === "") continue;
    const [was, mine, theirs] = [read(b, toBase, at), read(l, toLocal, at), read(r, toRemote, at)];
    if (mine === undefined && theirs === undefined) continue;
    if (mine === undefined || theirs === undefined) {
      // The other side may have given what is around it another name, or put it around all of this.
      if (nature(is) === nature(mine ?? theirs ?? "")) continue;
      if (is !== known) return false;
      pending = is;
    } else {
      if (pending !== "" && pending !== is) return false;
      [known, pending] = [is, ""];
      if (mine === theirs ? is !== mine : !isPicked(was, mine, theirs, is)) return false;
    }
  }
  return pending === "";
}

/** Whether a context is that of the side which changed it. */
function isPicked(was: string | undefined, mine: string, theirs: string, is: string): boolean {
  if (was === undefined) return is === mine || is === theirs;
  return mine === was ? is === theirs : theirs === was && is === mine;
}

/** How deep a context is, and whether it is code. */
function nature(context: string): string {
  return `${context.split(" ").length} ${/[`~]{3}$/.test(context)}`;
}
