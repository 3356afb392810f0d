/** An entry of a list, a table or the reference definitions, with the lines that belong to it. */
type Entry = { readonly shape: string; readonly text: string };

const ITEM = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const RULE = /^[\s:|-]+$/;

/** The entries that some lines consist of; undefined when they are anything else. */
export function entriesOf(lines: readonly string[]): Entry[] | undefined {
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

/**
 * What kind of entry a line starts, with its indent: only entries of one shape belong to one list.
 */
export function shapeOf(line: string): string | undefined {
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
  return outer.startsWith("item") && inner.startsWith("item") && indentOf(inner) > indentOf(outer);
}

/** The columns before an item of some shape. */
function indentOf(shape: string): number {
  return (/^item (\s*)/.exec(shape)?.[1] ?? "").length;
}
