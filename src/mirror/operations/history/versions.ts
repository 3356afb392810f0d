/** Operations that read the versions of a document. */

import { ok, trouble } from "../../../common/trouble.ts";
import { shellWord } from "../../model/shell-word.ts";
import { HISTORY, SHOW } from "../declared/history.ts";
import { localTime } from "../results/when.ts";
import { localRead } from "../run-operation.ts";
import { readPastTime } from "./as-of.ts";
import type { KnownPlace } from "./find-document.ts";
import { entryAt, findContent, findVersion, type HistoryEntry, readDeletion, partsClause } from "./history.ts";

export const history = localRead(HISTORY, ({ state, disk }, { path: name, asOf }, { clock }) => {
  const asOfMs = readPastTime(asOf, clock);
  if (asOfMs.kind === "trouble") return asOfMs;
  const found = findVersion({ state }, name, null);
  if (found.kind === "trouble") return found;
  const { document, entries } = found.value;
  const { id, path, record } = document;
  const shown = asOfMs.value === null ? entries : shownAt(document, entries, asOfMs.value);
  if (typeof shown === "string")
    return trouble("usage", `${path} at ${localTime(asOfMs.value!)}: ${shown}`, `mdmirror history ${shellWord(name)}`);
  const atPath = disk.look(path);
  const currentDigest = record !== null && atPath.kind === "file" ? atPath.digest : null;
  const last = entries.findLast(({ digest }) => digest === currentDigest);
  const versions = shown.map(({ digest: sha256, ...entry }) => ({
    ...entry,
    sha256,
    mergedFrom: entry.merge === null ? null : partsClause(entry.merge, entries.slice(0, entry.n)),
    isLocal: entry.n === last?.n,
  }));
  return ok({ id, path, gone: record === null, deleted: readDeletion(state, document), versions });
});

/**
 * Returns the version that the document had at the time `asOf`, by the same rule as `restore`. If
 * there is none, returns the reason as a clause.
 */
function shownAt(
  { record, tombstone }: KnownPlace,
  entries: readonly HistoryEntry[],
  asOf: number,
): readonly HistoryEntry[] | string {
  if (record === null && tombstone !== null && tombstone.at <= asOf) return "it was deleted by then";
  const entry = entryAt(entries, asOf);
  return typeof entry === "string" ? entry : [entry];
}

export const show = localRead(SHOW, (local, { path: name, n }) => {
  const found = findContent(local, name, n ?? null);
  if (found.kind === "trouble") return found;
  const { entry, document, text } = found.value;
  return ok({ path: document.path, n: entry.n, sha256: entry.digest, text });
});
