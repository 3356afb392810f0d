import { findFrontMatter } from "../outline/front-matter.ts";
import { splitLines } from "./split.ts";
import { normalise } from "./style.ts";

/** Metadata block at the start of a document: its entries and lines, and the text after it. */
export type FrontMatter = {
  readonly entries: Entries;
  readonly lines: number;
  readonly body: string;
};

/** The lines of each top-level key. */
type Entries = ReadonlyMap<string, string>;

const KEY = /^(?<key>[\p{L}\p{N}_][\p{L}\p{N}_ .-]*|"[^"]+"|'[^']+'):(?:\s|$)/u;

/**
 * Reads the front matter of a normalised text: top-level keys between two lines of `---`. Indented
 * lines, list items and blank lines belong to the key above, comments to the key below. Undefined
 * for any other syntax.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const found = findFrontMatter(text);
  if (found === null || text.slice(0, found.from) !== "---\n" || text.slice(found.to, found.end) !== "---\n")
    return undefined;
  const lines = text.slice(found.from, found.to).split(/(?<=\n)/);
  const entries = readEntries(lines);
  return entries && { entries, lines: lines.length + 2, body: text.slice(found.end) };
}

/** Returns true if a text begins like YAML front matter, with any line ends. */
export function beginsWithRule(text: string): boolean {
  return /^\uFEFF?---\r?\n/.test(text);
}

/** Reads the front matter of a text that may have any line ends and a byte order mark. */
export function readFrontMatterOfFile(text: string): FrontMatter | undefined {
  return beginsWithRule(text) ? readFrontMatter(normalise(text, false)) : undefined;
}

/**
 * Reads the entries of some lines by their keys. Undefined if a line belongs to no key, or if a key
 * occurs twice.
 */
function readEntries(lines: readonly string[]): Entries | undefined {
  const entries = new Map<string, string>();
  let comments = "";
  let current: string | undefined;
  for (const line of lines) {
    const key = KEY.exec(line)?.groups?.["key"];
    if (key !== undefined) {
      if (entries.has(key)) return undefined;
      entries.set(key, comments + line);
      comments = "";
      current = key;
    } else if (line.startsWith("#")) {
      comments += line;
    } else if (current !== undefined && comments === "" && /^(?:\s|-\s|-$)/.test(line)) {
      entries.set(current, entries.get(current) + line);
    } else {
      return undefined;
    }
  }
  return comments === "" ? entries : undefined;
}

/**
 * Merges entries by key, in any order of lines: if one side changed a key, its entry is used. If
 * both did, merges lists by item and maps by key. Undefined if two changes of one key, or of the
 * order of keys, cannot be merged.
 */
export function mergeEntries(base: Entries, local: Entries, remote: Entries): string | undefined {
  const merged = new Map<string, string>();
  for (const key of new Set([...base.keys(), ...local.keys(), ...remote.keys()])) {
    const entry = mergeEntry(base.get(key), local.get(key), remote.get(key));
    if (entry === CONFLICT) return undefined;
    if (entry !== undefined) merged.set(key, entry);
  }
  const keyOrder = mergeOrder([...base.keys()], [...local.keys()], [...remote.keys()]);
  return keyOrder?.flatMap((key) => merged.get(key) ?? []).join("");
}

/** Marks an entry that both sides changed in ways that cannot be merged. */
const CONFLICT = Symbol("conflict");

/** Returns the merged entry of one key: undefined if it was removed, `CONFLICT` for a conflict. */
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

/** A map under one key: the line of the key, and its entries without their indent. */
type MapEntry = { readonly head: string; readonly indent: string; readonly entries: Entries };

/**
 * Merges a map that both sides changed, by its own keys. Undefined for other values, for a
 * conflict, or when the maps differ in indent or in the line of the key.
 */
function mergeMapEntry(before: string | undefined, mine: string, theirs: string): string | undefined {
  const [l, r] = [readMapEntry(mine), readMapEntry(theirs)];
  if (l === undefined || r === undefined || l.head !== r.head || l.indent !== r.indent) return undefined;
  const b = before === undefined ? { ...l, entries: new Map() } : readMapEntry(before);
  if (b === undefined || b.head !== l.head || b.indent !== l.indent) return undefined;
  const merged = mergeEntries(b.entries, l.entries, r.entries);
  return merged === undefined ? undefined : l.head + merged.replaceAll(/^(?=.)/gm, l.indent);
}

function readMapEntry(entry: string): MapEntry | undefined {
  const [head = "", ...lines] = entry.split(/(?<=\n)/);
  const indent = /^ +(?=\S)/.exec(lines[0] ?? "")?.[0];
  if (indent === undefined || !/:\s*$/.test(head) || !lines.every((line) => line.startsWith(indent))) return undefined;
  const entries = readEntries(lines.map((line) => line.slice(indent.length)));
  return entries && { head, indent, entries };
}

/**
 * Returns the keys in the order of the side that changed the order; undefined if both sides changed
 * it differently. Keys added by remote precede those added by local.
 */
function mergeOrder(
  base: readonly string[],
  local: readonly string[],
  remote: readonly string[],
): string[] | undefined {
  const kept = base.filter((key) => local.includes(key) && remote.includes(key));
  const [mine, theirs] = [local, remote].map((keys) => keys.filter((key) => kept.includes(key))) as [
    string[],
    string[],
  ];
  const remoteLeads = isSameOrder(mine, kept) || isSameOrder(theirs, mine);
  if (!remoteLeads && !isSameOrder(theirs, kept)) return undefined;
  const [lead, follow] = remoteLeads ? [remote, local] : [local, remote];
  const order = [...lead];
  for (const [index, key] of follow.entries()) {
    if (order.includes(key)) continue;
    // For the first key, `indexOf` gives -1, so the place of that key is 0.
    let place = order.indexOf(follow[index - 1] as string) + 1;
    // Skips keys that the leading side added at the same place, so that the keys of remote come
    // first.
    while (remoteLeads && isNew(order[place], follow, base)) place++;
    order.splice(place, 0, key);
  }
  return order;
}

function isSameOrder(keys: readonly string[], others: readonly string[]): boolean {
  return keys.every((key, index) => key === others[index]);
}

/** Returns true if `key` is defined, and neither list of keys contains it. */
function isNew(key: string | undefined, one: readonly string[], other: readonly string[]): boolean {
  return key !== undefined && !one.includes(key) && !other.includes(key);
}

/** A list under one key: its syntax and its items. */
type List = {
  readonly head: string;
  readonly inline: boolean;
  readonly lead: string;
  readonly items: readonly string[];
};

const INLINE = /^(?<head>[^:\n]+:\s*)\[(?<items>[^\n]*)\](?<rest>\s*)$/;
const ITEM = /^(?<lead>\s*- +)(?<item>\S.*)$/;

/**
 * Merges a list that both sides changed, as a set: removals and additions of both sides apply, the
 * remote's additions first. Undefined for other values, or when the lists differ in syntax.
 */
function mergeListEntry(base: string | undefined, local: string, remote: string): string | undefined {
  const [mine, theirs] = [readList(local), readList(remote)];
  if (mine === undefined || theirs === undefined) return undefined;
  const was = base === undefined ? { ...theirs, items: [] } : readList(base);
  if (was === undefined) return undefined;
  if (mine.head !== theirs.head || was.inline !== mine.inline || theirs.inline !== mine.inline) return undefined;
  const [before, localNow, remoteNow] = [new Set(was.items), new Set(mine.items), new Set(theirs.items)];
  const added = mine.items.filter((item) => !before.has(item) && !remoteNow.has(item));
  const items = [...theirs.items.filter((item) => !before.has(item) || localNow.has(item)), ...added];
  if (theirs.inline) return `${theirs.head}[${items.join(", ")}]\n`;
  return theirs.head + items.map((item) => `${theirs.lead}${item}\n`).join("");
}

function readList(entry: string): List | undefined {
  const inline = INLINE.exec(entry)?.groups;
  if (inline !== undefined) {
    const inside = inline["items"] as string;
    if (/["'[\]{}]/.test(inside.replaceAll(/"[^",]*"|'[^',]*'/g, ""))) return undefined;
    const items = inside.split(",").map((item) => item.trim());
    return { head: inline["head"] as string, inline: true, lead: "", items: items.filter((item) => item !== "") };
  }
  const [head = "", ...lines] = splitLines(entry);
  const found = lines.map((line) => ITEM.exec(line.trimEnd())?.groups);
  if (found.length === 0 || !/:\s*$/.test(head) || found.includes(undefined)) return undefined;
  const leads = new Set(found.map((match) => match?.["lead"]));
  if (leads.size > 1) return undefined;
  const items = found.map((match) => match?.["item"] as string);
  return { head, inline: false, lead: found[0]?.["lead"] as string, items };
}
