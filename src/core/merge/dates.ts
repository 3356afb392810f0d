import { readFrontMatter } from "./front-matter.ts";
import { timeOf } from "./time.ts";

/** Keys whose date says when something was last done: of two, the later one is right. */
const LATEST = /^(?:date|.*(?:update|modif|edit|change|visit|review|sync|seen|lastmod).*)$/i;

/**
 * The two sides with the later date in both where both changed the same date of when something was last done. What one side alone changed, and any other date,
 * is left to the merge.
 */
export function settleDates(base: string, local: string, remote: string): readonly [local: string, remote: string] {
  const [b, l, r] = [base, local, remote].map(readFrontMatter);
  if (l === undefined || r === undefined) return [local, remote];
  let [mine, theirs] = [local, remote];
  for (const [key, entry] of l.entries) {
    const other = r.entries.get(key);
    if (other === undefined || other === entry || !LATEST.test(key)) continue;
    if (b?.entries.get(key) === entry || b?.entries.get(key) === other) continue;
    const [one, two] = [dateOf(entry), dateOf(other)];
    if (one === undefined || two === undefined || one.length !== two.length) continue;
    if (one > two) theirs = theirs.replace(other, () => entry);
    else mine = mine.replace(entry, () => other);
  }
  return [mine, theirs];
}

/** The date that an entry of one line consists of. */
function dateOf(entry: string): string | undefined {
  const value = /^[^:\n]+:\s*["']?([\p{N}T :.+Z-]+?)["']?\s*\n$/u.exec(entry)?.[1];
  return timeOf(value)?.kind === "date" ? value : undefined;
}
