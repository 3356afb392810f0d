import type { HistoryEntry } from "../history/history.ts";
import type { MergeOf } from "../history/origins.ts";

/** What a merge was made of, in words. */

/** Names each text, with its number in the history where it has one. */
export function partsClause({ base, mine, theirs }: MergeOf, entries: readonly HistoryEntry[]): string {
  return `${partName("base", base, entries)}, ${partName("mine", mine, entries)} and ${partName("theirs", theirs, entries)}`;
}

function partName(name: string, digest: string, entries: readonly HistoryEntry[]): string {
  const entry = entries.findLast((one) => one.digest === digest);
  return entry === undefined ? name : `${name} @${entry.n}`;
}
