export type ChangedLines = { readonly added: number; readonly removed: number };

/** Lines that one text has and the other has not, whatever their order. */
export function countChangedLines(before: string, after: string): ChangedLines {
  const counts = new Map<string, number>();
  for (const line of split(after)) counts.set(line, (counts.get(line) ?? 0) + 1);
  let removed = 0;
  for (const line of split(before)) {
    const left = counts.get(line) ?? 0;
    if (left === 0) removed++;
    else counts.set(line, left - 1);
  }
  let added = 0;
  for (const left of counts.values()) added += left;
  return { added, removed };
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
