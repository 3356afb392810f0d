import type { HistoryEntry } from "../history/history.ts";
import type { MergeOf } from "../history/origins.ts";

/** Words for the versions of a merge. */

/** Returns a clause that names each version, with its number in the history if it has one. */
export function partsClause({ base, mine, theirs }: MergeOf, entries: readonly HistoryEntry[]): string {
  return `${partName("base", base, entries)}, ${partName("mine", mine, entries)} and ${partName("theirs", theirs, entries)}`;
}

function partName(name: string, digest: string, entries: readonly HistoryEntry[]): string {
  const entry = entries.findLast((one) => one.digest === digest);
  return entry === undefined ? name : `${name} @${entry.n}`;
}
