import { ok, refusal } from "../../../common/trouble.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { HISTORY, SHOW } from "../declared/reads.ts";
import { formatLocalTime, readPastTime } from "../results/times.ts";
import { defineLocalRead } from "../run-operation.ts";
import type { KnownPlace } from "./lookup.ts";
import { findEntryAt, findContent, findVersion, type HistoryEntry, readDeletion, describeParts } from "./history.ts";

export const history = defineLocalRead(HISTORY, ({ state, disk }, { path: name, asOf }, { clock }) => {
  const asOfMs = readPastTime(asOf, clock);
  if (asOfMs.kind === "trouble") return asOfMs;
  const foundVersion = findVersion({ state }, name, null);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { document, entries } = foundVersion.value;
  const { id, path, record } = document;
  const shownEntries = asOfMs.value === null ? entries : findVersionAt(document, entries, asOfMs.value);
  if (typeof shownEntries === "string")
    return refusal(
      `${path} at ${formatLocalTime(asOfMs.value!)}: ${shownEntries}`,
      `mdmirror history ${quoteForShell(name)}`,
    );
  const atPath = disk.look(path);
  const currentDigest = record !== null && atPath.kind === "file" ? atPath.digest : null;
  const lastEntry = entries.findLast(({ digest }) => digest === currentDigest);
  const versions = shownEntries.map(({ digest: sha256, ...entry }) => ({
    ...entry,
    sha256,
    mergedFrom: entry.merge === null ? null : describeParts(entry.merge, entries.slice(0, entry.n)),
    isLocal: entry.n === lastEntry?.n,
  }));
  return ok({ id, path, gone: record === null, deleted: readDeletion(state, document), versions });
});

/** Finds the version at a time, as `restore` does; a clause if no version existed at the time. */
function findVersionAt(
  { record, tombstone }: KnownPlace,
  entries: readonly HistoryEntry[],
  asOf: number,
): readonly HistoryEntry[] | string {
  if (record === null && tombstone !== null && tombstone.at <= asOf) return "it was deleted by then";
  const wantedEntry = findEntryAt(entries, asOf);
  return typeof wantedEntry === "string" ? wantedEntry : [wantedEntry];
}

export const show = defineLocalRead(SHOW, (local, { path: name, n }) => {
  const foundContent = findContent(local, name, n ?? null);
  if (foundContent.kind === "trouble") return foundContent;
  const { entry, document, text } = foundContent.value;
  return ok({ path: document.path, n: entry.n, sha256: entry.digest, text });
});
