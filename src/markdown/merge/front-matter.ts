import { findFrontMatter } from "../outline/outline.ts";
import { splitLines } from "./split.ts";
import { normaliseText } from "./style.ts";

export type FrontMatter = {
  readonly entries: FrontMatterEntries;
  readonly lines: number;
  readonly body: string;
};

type FrontMatterEntries = ReadonlyMap<string, string>;

const KEY_LINE = /^(?<key>[\p{L}\p{N}_][\p{L}\p{N}_ .-]*|"[^"]+"|'[^']+'):(?:\s|$)/u;

/**
 * Reads the front matter of a normalised document: top-level keys between two lines `---`. Indented
 * lines, list items and blank lines belong to the key above them; comments belong to the key below.
 * Returns undefined if the document has no front matter, or front matter with another syntax.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const range = findFrontMatter(text);
  if (range === null || text.slice(0, range.from) !== "---\n" || text.slice(range.to, range.end) !== "---\n")
    return undefined;
  const lines = text.slice(range.from, range.to).split(/(?<=\n)/);
  const entries = readEntries(lines);
  return entries && { entries, lines: lines.length + 2, body: text.slice(range.end) };
}

export function beginsWithRule(text: string): boolean {
  return /^\uFEFF?---\r?\n/.test(text);
}

/**
 * Reads the front matter of a document with any line ends, with or without a byte order mark.
 * Returns undefined in the same cases as `readFrontMatter`.
 */
export function readFrontMatterOfFile(text: string): FrontMatter | undefined {
  return beginsWithRule(text) ? readFrontMatter(normaliseText(text, false)) : undefined;
}

/**
 * Reads the keys of front matter with the lines of each key. Returns undefined if a line belongs to
 * no key, or if a key occurs twice.
 */
function readEntries(lines: readonly string[]): FrontMatterEntries | undefined {
  const entries = new Map<string, string>();
  let comments = "";
  let currentKey: string | undefined;
  for (const line of lines) {
    const key = KEY_LINE.exec(line)?.groups?.["key"];
    if (key !== undefined) {
      if (entries.has(key)) return undefined;
      entries.set(key, comments + line);
      comments = "";
      currentKey = key;
    } else if (line.startsWith("#")) {
      comments += line;
    } else if (currentKey !== undefined && comments === "" && /^(?:\s|-\s|-$)/.test(line)) {
      entries.set(currentKey, entries.get(currentKey) + line);
    } else {
      return undefined;
    }
  }
  return comments === "" ? entries : undefined;
}

/**
 * Merges front matter by its keys, and returns the merged lines. If only one side changed a key,
 * uses that side's version of the key. If both sides changed a key, merges lists by item, and maps
 * by key. Returns undefined if the changes of a key, or of the order of keys, conflict.
 */
export function mergeEntries(
  base: FrontMatterEntries,
  local: FrontMatterEntries,
  remote: FrontMatterEntries,
): string | undefined {
  const mergedEntries = new Map<string, string>();
  for (const key of new Set([...base.keys(), ...local.keys(), ...remote.keys()])) {
    const entry = mergeEntry(base.get(key), local.get(key), remote.get(key));
    if (entry === CONFLICT) return undefined;
    if (entry !== undefined) mergedEntries.set(key, entry);
  }
  const keyOrder = mergeKeyOrder([...base.keys()], [...local.keys()], [...remote.keys()]);
  return keyOrder?.flatMap((key) => mergedEntries.get(key) ?? []).join("");
}

const CONFLICT = Symbol("conflict");

/**
 * Merges the lines of one key. Returns undefined if the result lacks the key; `CONFLICT` if the
 * changes of both sides conflict.
 */
function mergeEntry(
  before: string | undefined,
  mine: string | undefined,
  theirs: string | undefined,
): string | undefined | typeof CONFLICT {
  if (mine === before) return theirs;
  if (theirs === before || mine === theirs) return mine;
  if (mine === undefined || theirs === undefined) return CONFLICT;
  return mergeListEntry(before, mine, theirs) ?? mergeMapEntry(before, mine, theirs) ?? CONFLICT;
}

/**
 * Map as the value of a key. `head`: line of the key. `indent`: spaces before the entries.
 * `entries`: lines of each inner key, without `indent`.
 */
type MapEntry = { readonly head: string; readonly indent: string; readonly entries: FrontMatterEntries };

/**
 * Merges a map that both sides changed, key by key. Returns undefined for a conflict, for a value
 * that is no map, or if `indent` or `head` differ between the maps.
 */
function mergeMapEntry(before: string | undefined, mine: string, theirs: string): string | undefined {
  const [l, r] = [readMapEntry(mine), readMapEntry(theirs)];
  if (l === undefined || r === undefined || l.head !== r.head || l.indent !== r.indent) return undefined;
  const baseMap = before === undefined ? { ...l, entries: new Map() } : readMapEntry(before);
  if (baseMap === undefined || baseMap.head !== l.head || baseMap.indent !== l.indent) return undefined;
  const mergedEntries = mergeEntries(baseMap.entries, l.entries, r.entries);
  return mergedEntries === undefined ? undefined : l.head + mergedEntries.replaceAll(/^(?=.)/gm, l.indent);
}

function readMapEntry(entry: string): MapEntry | undefined {
  const [head = "", ...lines] = entry.split(/(?<=\n)/);
  const indent = /^ +(?=\S)/.exec(lines[0] ?? "")?.[0];
  if (indent === undefined || !/:\s*$/.test(head) || !lines.every((line) => line.startsWith(indent))) return undefined;
  const entries = readEntries(lines.map((line) => line.slice(indent.length)));
  return entries && { head, indent, entries };
}

/**
 * Returns the keys in the order of the side that changed the order; undefined if the sides changed
 * the order in different ways. At the same position, keys that remote added come before keys that
 * local added.
 */
function mergeKeyOrder(
  base: readonly string[],
  local: readonly string[],
  remote: readonly string[],
): string[] | undefined {
  const keptKeys = base.filter((key) => local.includes(key) && remote.includes(key));
  const [mine, theirs] = [local, remote].map((keys) => keys.filter((key) => keptKeys.includes(key))) as [
    string[],
    string[],
  ];
  const isRemoteFirst = isSameOrder(mine, keptKeys) || isSameOrder(theirs, mine);
  if (!isRemoteFirst && !isSameOrder(theirs, keptKeys)) return undefined;
  const [lead, follow] = isRemoteFirst ? [remote, local] : [local, remote];
  const orderedKeys = [...lead];
  for (const [index, key] of follow.entries()) {
    if (orderedKeys.includes(key)) continue;
    let position = orderedKeys.indexOf(follow[index - 1] as string) + 1;
    while (isRemoteFirst && isNewKey(orderedKeys[position], follow, base)) position++;
    orderedKeys.splice(position, 0, key);
  }
  return orderedKeys;
}

function isSameOrder(keys: readonly string[], others: readonly string[]): boolean {
  return keys.every((key, index) => key === others[index]);
}

function isNewKey(key: string | undefined, one: readonly string[], other: readonly string[]): boolean {
  return key !== undefined && !one.includes(key) && !other.includes(key);
}

/**
 * List as the value of a key. `head`: line of the key; for an inline list, the characters before
 * the list. `inline`: true for `[a, b]`. `lead`: characters before each item.
 */
type ListEntry = {
  readonly head: string;
  readonly inline: boolean;
  readonly lead: string;
  readonly items: readonly string[];
};

const INLINE_LIST = /^(?<head>[^:\n]+:\s*)\[(?<items>[^\n]*)\](?<rest>\s*)$/;
const ITEM_LINE = /^(?<lead>\s*- +)(?<item>\S.*)$/;

/**
 * Merges a list that both sides changed, as a set of items. The result has the additions and
 * removals of both sides; additions of remote come first. Returns undefined for a value that is no
 * list, or if the syntax of the lists differs.
 */
function mergeListEntry(base: string | undefined, local: string, remote: string): string | undefined {
  const [mine, theirs] = [readList(local), readList(remote)];
  if (mine === undefined || theirs === undefined) return undefined;
  const baseList = base === undefined ? { ...theirs, items: [] } : readList(base);
  if (baseList === undefined) return undefined;
  if (mine.head !== theirs.head || baseList.inline !== mine.inline || theirs.inline !== mine.inline) return undefined;
  const [before, localNow, remoteNow] = [new Set(baseList.items), new Set(mine.items), new Set(theirs.items)];
  const addedItems = mine.items.filter((item) => !before.has(item) && !remoteNow.has(item));
  const items = [...theirs.items.filter((item) => !before.has(item) || localNow.has(item)), ...addedItems];
  if (theirs.inline) return `${theirs.head}[${items.join(", ")}]\n`;
  return theirs.head + items.map((item) => `${theirs.lead}${item}\n`).join("");
}

function readList(entry: string): ListEntry | undefined {
  const inlineGroups = INLINE_LIST.exec(entry)?.groups;
  if (inlineGroups !== undefined) {
    const innerText = inlineGroups["items"] as string;
    if (/["'[\]{}]/.test(innerText.replaceAll(/"[^",]*"|'[^',]*'/g, ""))) return undefined;
    const items = innerText.split(",").map((item) => item.trim());
    return { head: inlineGroups["head"] as string, inline: true, lead: "", items: items.filter((item) => item !== "") };
  }
  const [head = "", ...lines] = splitLines(entry);
  const itemMatches = lines.map((line) => ITEM_LINE.exec(line.trimEnd())?.groups);
  if (itemMatches.length === 0 || !/:\s*$/.test(head) || itemMatches.includes(undefined)) return undefined;
  const leadTexts = new Set(itemMatches.map((match) => match?.["lead"]));
  if (leadTexts.size > 1) return undefined;
  const items = itemMatches.map((match) => match?.["item"] as string);
  return { head, inline: false, lead: itemMatches[0]?.["lead"] as string, items };
}

/**
 * Matches keys of front matter whose date says when somebody last worked on the document, or when
 * work is due. If both sides changed such a date, the later date is used.
 */
const LATEST_DATE_KEY =
  /^(?:date|due|due[ _-]?date|deadline|.*(?:update|modif|edit|change|visit|review|sync|seen|lastmod).*)$/i;

/**
 * Returns both sides, changed in one respect. If each side changed the date of a key that
 * `LATEST_DATE_KEY` matches, both sides get the later date. Each side keeps its line ends.
 */
export function useLaterDates(base: string, local: string, remote: string): readonly [local: string, remote: string] {
  const [b, l, r] = [base, local, remote].map(readFrontMatterOfFile);
  if (l === undefined || r === undefined) return [local, remote];
  let [mine, theirs] = [local, remote];
  for (const [key, entry] of l.entries) {
    const remoteEntry = r.entries.get(key);
    if (
      !LATEST_DATE_KEY.test(key) ||
      remoteEntry === undefined ||
      !areDifferentChanges(b?.entries.get(key), entry, remoteEntry)
    )
      continue;
    const dateOrder = compareDates(entry, remoteEntry);
    if (dateOrder > 0) theirs = replaceLine(theirs, remoteEntry, entry);
    else if (dateOrder < 0) mine = replaceLine(mine, entry, remoteEntry);
  }
  return [mine, theirs];
}

function areDifferentChanges(before: string | undefined, mine: string, theirs: string): boolean {
  return mine !== theirs && mine !== before && theirs !== before;
}

/**
 * Returns 1 if the first entry has the later date, -1 if the second entry has the later date.
 * Returns NaN if the dates cannot be compared.
 */
function compareDates(one: string, other: string): number {
  const [mine, theirs] = [readDate(one), readDate(other)];
  if (mine === undefined || theirs === undefined || mine.length !== theirs.length) return Number.NaN;
  return mine > theirs ? 1 : -1;
}

/**
 * Replaces a line of a document. Both lines end with a line feed; the replaced line keeps its line
 * end from the document.
 */
function replaceLine(text: string, old: string, line: string): string {
  const [was, is] = [old, line].map((text) => `\n${text.slice(0, -1)}`) as [string, string];
  return text.replace(was, () => is);
}

/** Returns the date in an entry; undefined if the value of the entry contains anything else. */
function readDate(entry: string): string | undefined {
  const value = /^[^:\n]+:\s*["']?([\p{N}T :.+Z-]+?)["']?\s*\n$/u.exec(entry)?.[1];
  return readTime(value)?.kind === "date" ? value : undefined;
}

/** A date or time of day. `key`: string for sorting, only with values of the same `kind`. */
type DateOrTime = { readonly kind: "date" | "clock"; readonly key: string };

const DATE_OR_TIME =
  /^[^\p{L}\p{N}]*(?:(?<date>\p{N}{4}-\p{N}{2}-\p{N}{2}(?:[T ]\p{N}{2}:\p{N}{2})?)|(?<hour>\p{N}{1,2}):(?<rest>\p{N}{2}(?::\p{N}{2})?)(?:\s?(?<half>[ap])\.?m\b)?)/iu;

/**
 * Returns the date or time of day at the beginning of a line; white space and punctuation may
 * precede it. Returns undefined if the line has no such beginning.
 */
export function readTime(line: string | undefined): DateOrTime | undefined {
  const { date, hour, rest, half } = DATE_OR_TIME.exec(line ?? "")?.groups ?? {};
  if (date !== undefined) return { kind: "date", key: date };
  if (hour === undefined) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", key: `${String(hours).padStart(2, "0")}:${rest}` };
}
