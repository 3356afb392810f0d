import { unwrap } from "../common/trouble.ts";
import { findVersion, partsClause } from "../mirror/operations/history/history.ts";
import { mergeFacts, type MergeOrigins, readOrigins } from "../mirror/operations/history/origins.ts";
import { asOnDisk } from "../mirror/operations/history/as-on-disk.ts";
import { shownName } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { showResult } from "./show-result.ts";
import { type ExitCode, refuse } from "./exit.ts";
import { locate } from "./find-mirror.ts";
import { useLocal } from "./use-mirror.ts";
import { originLines } from "./show-origins.ts";
import { localTime } from "../mirror/operations/results/when.ts";

/**
 * Shows the side of each line of a merged version.
 * @param n number of the version in the history; null for the last merge
 */
export function showMerge(io: Io, name: string, n: number | null, json: boolean): Promise<ExitCode> {
  const place = locate(io, name);
  return useLocal(io, place.root, (local) => {
    const found = unwrap(findVersion(local, place.path, n));
    const { document, entries } = found;
    const entry = n === null ? entries.findLast(({ merge }) => merge !== null) : found.entry;
    const { path } = document;
    if (entry === undefined || entry.merge === null) {
      const what =
        entry === undefined ? `no version of ${shownName(path)} is` : `version ${entry.n} of ${shownName(path)} is not`;
      const next = `mdmirror history ${shownName(place.path)} lists the merged versions`;
      return refuse(`${what} a merge with a known origin`, next);
    }
    const { merge } = entry;
    const origins = readOrigins(asOnDisk(local, path), merge);
    const parts = partsClause(merge, entries.slice(0, entry.n));
    const head = `${shownName(path)}@${entry.n}: merged ${localTime(merge.at)} from ${parts}`;
    return showResult(io, json, {
      json: { path, n: entry.n, merge: mergeFacts(merge, origins) },
      lines: [head, ...linesOf(io, origins)],
    });
  });
}

/** Returns the lines of the merge, or a clause that says which version is missing. */
function linesOf(io: Io, origins: MergeOrigins): string[] {
  if (origins.kind === "found") {
    const lines = originLines(io, origins.rows);
    return lines.length === 0 ? ["the result is equal to the version that both edits started from"] : lines;
  }
  const names = origins.gone.map((name) => (name === "result" ? "the result" : name)).join(" and ");
  return [
    `the origin of each line is not known: ${names} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history`,
  ];
}
