import { splitLines } from "./split.ts";

/** A list under one key: how it is written, and its items. */
type List = {
  readonly head: string;
  readonly inline: boolean;
  readonly lead: string;
  readonly items: readonly string[];
};

const INLINE = /^(?<head>[^:\n]+:\s*)\[(?<items>[^\n]*)\](?<rest>\s*)$/;
const ITEM = /^(?<lead>\s*- +)(?<item>\S.*)$/;

/**
 * A list under one key that both sides changed, as a set: what either took away is gone, what
 * either added is there, the remote's first. Undefined for any other value, and for lists that are
 * not written alike.
 */
export function mergeListEntry(base: string | undefined, local: string, remote: string): string | undefined {
  const [mine, theirs] = [readList(local), readList(remote)];
  if (mine === undefined || theirs === undefined) return undefined;
  const was = base === undefined ? { ...theirs, items: [] } : readList(base);
  if (was === undefined) return undefined;
  if (mine.head !== theirs.head || was.inline !== mine.inline || theirs.inline !== mine.inline) return undefined;
  const [before, here, there] = [new Set(was.items), new Set(mine.items), new Set(theirs.items)];
  const added = mine.items.filter((item) => !before.has(item) && !there.has(item));
  const items = [...theirs.items.filter((item) => !before.has(item) || here.has(item)), ...added];
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
  const leads = new Set(found.map((one) => one?.["lead"]));
  if (leads.size > 1) return undefined;
  const items = found.map((one) => one?.["item"] as string);
  return { head, inline: false, lead: found[0]?.["lead"] as string, items };
}
