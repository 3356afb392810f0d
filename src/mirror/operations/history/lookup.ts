import { type DocId, isDocId } from "../../../contract/ids.ts";
import { type DocumentRecord, isAway, type Tombstone } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import type { Disk } from "../../ports/disk.ts";

/** State file and disk of a folder, which can be read without the network. */
export type StateAndDisk = { readonly state: State; readonly disk: Disk };

type KnownDocument = {
  readonly id: DocId;
  readonly path: LocalPath;
  /** Record in base; null if the document was deleted, or if the record was removed. */
  readonly record: DocumentRecord | null;
  readonly tombstone: Tombstone | null;
};

/** A path for which versions may be stored. The id is null if the path never had a document. */
export type KnownPlace = Omit<KnownDocument, "id"> & {
  readonly id: DocId | null;
  /** Path that the user named; equal to `path` if the user named an id. */
  readonly requestedPath: LocalPath;
};

/**
 * Finds a document by name. Without a document, returns only the path or id, because versions may
 * still be stored.
 */
export function findPlace(state: State, base: BaseTree, name: string): KnownPlace {
  const document = findDocument(state, base, name);
  if (document !== null) return { ...document, requestedPath: isDocId(name) ? document.path : name };
  const place = { id: null, path: name, requestedPath: name, record: null, tombstone: null };
  if (!isDocId(name)) return place;
  const path = state.storedOrigins({ id: name }).at(-1)?.path;
  return path === undefined ? place : { ...place, id: name, path, requestedPath: path };
}

/**
 * Finds a record by path. A document that left the linked part of the workspace keeps its last
 * path, but any other document at that path takes precedence.
 */
export function findRecordAt(base: BaseTree, path: LocalPath): DocumentRecord | null {
  let recordAway: DocumentRecord | null = null;
  for (const record of base.records.values()) {
    if (record.localPath !== path) continue;
    if (!isAway(record)) return record;
    recordAway ??= record;
  }
  return recordAway;
}

export type RecordIndex = ReadonlyMap<LocalPath, DocumentRecord>;

export function indexRecords(base: BaseTree): RecordIndex {
  const index = new Map<LocalPath, DocumentRecord>();
  for (const record of base.records.values())
    if (!isAway(record) || !index.has(record.localPath)) index.set(record.localPath, record);
  return index;
}

/**
 * Finds a document by its current path, then by the last path of a deleted document, then by any
 * earlier path. Of several deleted documents, finds the document that was deleted last.
 * @param name a path below the root, or an id `doc_…`
 */
export function findDocument(state: State, base: BaseTree, name: string): KnownDocument | null {
  if (isDocId(name)) return findById(state, base, name);
  const record = findRecordAt(base, name);
  if (record !== null) return { id: record.id, path: name, record, tombstone: null };
  const tombstones = [...base.tombstones.values()].filter(({ localPath }) => localPath === name);
  const tombstone = tombstones.toSorted((a, b) => b.at - a.at)[0];
  if (tombstone !== undefined) return { id: tombstone.id, path: name, record: null, tombstone: tombstone };
  const event = state.events({ limit: 200, path: name }).find(({ id }) => isDocId(id));
  return event === undefined ? null : findById(state, base, event.id as DocId);
}

function findById(state: State, base: BaseTree, id: DocId): KnownDocument | null {
  const record = base.records.get(id) ?? null;
  const tombstone = base.tombstones.get(id) ?? null;
  const path = record?.localPath ?? tombstone?.localPath ?? state.events({ limit: 1, id })[0]?.path;
  return path === undefined ? null : { id, path, record, tombstone };
}

/** Returns the newest events, oldest first. For a document, returns the events at all its paths. */
export function readEvents(
  state: State,
  wanted: { readonly limit: number; readonly run: number | null; readonly path: LocalPath | null },
): MirrorEvent[] {
  const { limit, run, path } = wanted;
  const commonQuery = { limit, ...(run === null ? {} : { run }) };
  if (path === null) return state.events(commonQuery).toReversed();
  const document = findDocument(state, state.load(), path);
  const foundEvents = [
    ...state.events({ ...commonQuery, path }),
    ...(document === null ? [] : state.events({ ...commonQuery, id: document.id })),
  ];
  const uniqueEvents = new Map(foundEvents.map((event) => [JSON.stringify(event), event]));
  return [...uniqueEvents.values()].toSorted((a, b) => a.at - b.at).slice(-limit);
}

/** LIMIT: number of newest runs that are read, so that a long history stays fast. */
export const MAX_RUNS = 10_000;

type StoredRuns = ReturnType<State["runs"]>;

/**
 * Returns runs, newest first.
 * @param run number of the only run to return; null for all runs
 * @returns trouble of kind `usage` if there is no such run
 */
export function findRuns(state: Pick<State, "runs">, run: number | null): Result<StoredRuns> {
  const runs = state.runs(MAX_RUNS);
  const wantedRuns = run === null ? runs : runs.filter((one) => one.run === run);
  if (wantedRuns.length > 0) return ok(wantedRuns);
  return refusal(run === null ? "there are no runs yet" : `there is no run ${run}`, "mdmirror log names the runs");
}

/** Returns stored content as the local file would have it, with local links. */
export function toLocalForm(disk: Pick<Disk, "toLocalForm">, path: LocalPath, text: string | null): string | null {
  return text === null ? null : (disk.toLocalForm?.(path, text) ?? text);
}

/** Returns a function that finds stored content by digest, in the form of the local file. */
export function makeLocalLookup(
  { state, disk }: { readonly state: Pick<State, "text">; readonly disk: Pick<Disk, "toLocalForm"> },
  path: LocalPath,
): Pick<State, "text"> {
  return { text: (digest) => toLocalForm(disk, path, state.text(digest)) };
}
