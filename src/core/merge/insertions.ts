import type { Budget } from "./budget.ts";
import type { Overlap, Surroundings } from "./hunk.ts";
import { splitLines } from "./lines.ts";
import { isWord, tokenise } from "./tokens.ts";

/** An entry of a list, a table or the reference definitions, with the lines that belong to it. */
type Entry = { readonly shape: string; readonly text: string };

const ITEM = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const RULE = /^[\s:|-]+$/;

/** Share of the smaller entry's words from which two entries count as the same one written twice. */
const SAME_ENTRY = 0.6;

/** Entries that must stand in order before a list is taken to be sorted. */
const LEAST_SORTED = 4;

/** LIMIT: lines looked at on each side of a place to see whether its list is sorted. */
const MOST_NEIGHBOURS = 100;

/** LIMIT: pairs of entries compared at one place; more are a conflict. */
const MOST_PAIRS = 10_000;

/**
 * Both sides added entries at one place: both are kept, the remote's first, or all sorted where the list is. Undefined when
 * something else was added, or when two of the entries look like the same one.
 */
export function mergeInsertions(part: Overlap, around: Surroundings, budget: Budget): string | undefined {
  if (part.base.length > 0) return undefined;
  let [head, tail] = [0, 0];
  const shorter = Math.min(part.local.length, part.remote.length);
  while (head < shorter && part.local[head] === part.remote[head]) head++;
  while (tail < shorter - head && part.local.at(-1 - tail) === part.remote.at(-1 - tail)) tail++;
  const local = entriesOf(part.local.slice(head, part.local.length - tail));
  const remote = entriesOf(part.remote.slice(head, part.remote.length - tail));
  if (local === undefined || remote === undefined) return undefined;
  const shape = local[0]?.shape;
  if (![...local, ...remote].every((entry) => entry.shape === shape)) return undefined;
  if (local.length * remote.length > MOST_PAIRS) return undefined;
  const [mine, theirs] = [local, remote].map((entries) => entries.map((entry) => wordSet(entry.text, budget))) as [
    Set<string>[],
    Set<string>[],
  ];
  if (mine.some((one) => theirs.some((other) => alike(one, other)))) return undefined;
  const both = inOrder([...remote, ...local], around.baseLines, part.baseLine);
  return [
    ...part.local.slice(0, head),
    ...both.map((entry) => entry.text),
    ...part.local.slice(part.local.length - tail),
  ].join("");
}

/** The entries that some lines consist of; undefined when they are anything else. */
function entriesOf(lines: readonly string[]): Entry[] | undefined {
  const entries: { shape: string; text: string }[] = [];
  for (const line of lines) {
    const shape = shapeOf(line);
    const last = entries.at(-1);
    if (shape !== undefined && (last === undefined || !isNested(last.shape, shape)))
      entries.push({ shape, text: line });
    else if (last?.shape.startsWith("item") && (line.trim() === "" || /^\s/.test(line))) last.text += line;
    else return undefined;
  }
  return entries;
}

/** What kind of entry a line starts, with its indent: only entries of one shape belong to one list. */
function shapeOf(line: string): string | undefined {
  const item = ITEM.exec(line);
  if (item !== null) return `item ${item[1]}${/\p{N}/u.test(item[2] ?? "") ? "1" : item[2]}`;
  if (DEFINITION.test(line)) return "definition";
  const row = line.trim();
  if (row.length > 1 && row.startsWith("|") && row.endsWith("|") && !RULE.test(row))
    return `row ${row.split("|").length}`;
  return undefined;
}

/** Whether an item's shape is that of a deeper item. */
function isNested(outer: string, inner: string): boolean {
  const indent = (shape: string): number => (/^item (\s*)/.exec(shape)?.[1] ?? "").length;
  return outer.startsWith("item") && inner.startsWith("item") && indent(inner) > indent(outer);
}

function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const word of few) if (many.has(word)) shared++;
  return shared >= SAME_ENTRY * few.size;
}

function wordSet(text: string, budget: Budget): Set<string> {
  return new Set(
    tokenise(splitLines(text), budget)
      .map((token) => token.text)
      .filter(isWord),
  );
}

/** The entries sorted where the list around them is, else as given. */
function inOrder(entries: readonly Entry[], lines: readonly string[], at: number): readonly Entry[] {
  const shape = entries[0]?.shape;
  const above = neighbours(lines, at - 1, -1, shape).toReversed();
  const below = neighbours(lines, at, 1, shape);
  if (above.length + below.length < LEAST_SORTED) return entries;
  const sorted = entries
    .map((entry) => ({ entry, key: sortKey(entry.text) }))
    .sort((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0));
  return isSorted([...above, ...sorted.map(({ key }) => key), ...below]) ? sorted.map(({ entry }) => entry) : entries;
}

/** The sort keys of the entries of one list from a line on, going up or down. */
function neighbours(lines: readonly string[], from: number, step: 1 | -1, shape: string | undefined): string[] {
  const keys: string[] = [];
  for (let at = from; Math.abs(at - from) < MOST_NEIGHBOURS && goesOn(lines[at], shape); at += step) {
    const line = lines[at] ?? "";
    if (shapeOf(line) === shape) keys.push(sortKey(line));
  }
  return keys;
}

/** Whether a line belongs to the list whose entries have this shape. */
function goesOn(line: string | undefined, shape: string | undefined): boolean {
  if (line === undefined || shape === undefined) return false;
  return shapeOf(line) === shape || (shape.startsWith("item") && /^\s+\S/.test(line));
}

function sortKey(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, "");
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") <= key);
}
