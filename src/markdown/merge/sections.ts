import { headingsOf } from "../outline/headings.ts";
import { wordsOf } from "./words.ts";

/**
 * Whether no section of the merged text, the last of four, has more sections of one name in it than
 * that section has in one of the others: to readers they are one section.
 */
export function keepsSections(texts: readonly string[]): boolean {
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
