import { mergeListEntry } from "./lists.ts";

/**
 * The metadata block that may open a document: its entries, how many lines it takes, and the text
 * after it.
 */
export type FrontMatter = {
  readonly entries: ReadonlyMap<string, string>;
  readonly lines: number;
  readonly body: string;
};

const KEY = /^(?<key>[\p{L}\p{N}_][\p{L}\p{N}_ .-]*|"[^"]+"|'[^']+'):(?:\s|$)/u;

/**
 * Reads the front matter of a normalised text: top-level keys between two lines of `---`, each with
 * the lines that are indented, list items or blank after it and the comments before it. Undefined
 * for anything less plain than that.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  if (!text.startsWith("---\n")) return undefined;
  const close = text.indexOf("\n---\n", 3);
  if (close < 0) return undefined;
  const lines = text.slice(4, close + 1).split(/(?<=\n)/);
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
  if (comments !== "") return undefined;
  return { entries, lines: lines.length + 2, body: text.slice(close + 5) };
}

/**
 * Merges three front matters by key, whatever the lines' order: the side that changed a key wins
 * it. Undefined when both changed one key, or the order of the keys, in different ways.
 */
export function mergeFrontMatter(base: FrontMatter, local: FrontMatter, remote: FrontMatter): string | undefined {
  const [b, l, r] = [base.entries, local.entries, remote.entries];
  const merged = new Map<string, string>();
  for (const key of new Set([...b.keys(), ...l.keys(), ...r.keys()])) {
    const [was, mine, theirs] = [b.get(key), l.get(key), r.get(key)];
    let entry = mine;
    if (mine === was) entry = theirs;
    else if (theirs !== was && mine !== theirs) {
      if (mine === undefined || theirs === undefined) return undefined;
      entry = mergeListEntry(was, mine, theirs);
      if (entry === undefined) return undefined;
    }
    if (entry !== undefined) merged.set(key, entry);
  }
  const order = mergeOrder([...b.keys()], [...l.keys()], [...r.keys()]);
  if (order === undefined) return undefined;
  const text = order.flatMap((key) => merged.get(key) ?? []).join("");
  return `---\n${text}---\n`;
}

/**
 * The keys in the order of the side that changed it, the remote's before the local's where both
 * added some.
 */
function mergeOrder(
  base: readonly string[],
  local: readonly string[],
  remote: readonly string[],
): string[] | undefined {
  const kept = base.filter((key) => local.includes(key) && remote.includes(key));
  const same = (keys: readonly string[], as: readonly string[]): boolean => {
    const shared = keys.filter((key) => kept.includes(key));
    return shared.every((key, at) => key === as[at]);
  };
  const sharedLocal = local.filter((key) => kept.includes(key));
  const remoteLeads = same(local, kept) || same(remote, sharedLocal);
  if (!remoteLeads && !same(remote, kept)) return undefined;
  const [lead, follow] = remoteLeads ? [remote, local] : [local, remote];
  const order = [...lead];
  for (const [at, key] of follow.entries()) {
    if (order.includes(key)) continue;
    let place = at === 0 ? 0 : order.indexOf(follow[at - 1] as string) + 1;
    // Past what the leading side added at the same place, so that the remote's keys come first.
    while (
      remoteLeads &&
      place < order.length &&
      !follow.includes(order[place] as string) &&
      !base.includes(order[place] as string)
    )
      place++;
    order.splice(place, 0, key);
  }
  return order;
}
