/**
 * Restores documents: one document, several documents by paths, folders or patterns, deleted
 * documents, or all documents as they were at a given time. A restored version is a local edit,
 * which the next run uploads.
 */

import { toPaths } from "../../model/mirror-folder.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { PathState } from "../../ports/disk.ts";
import type { StoredOrigin, State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";
import { restoreFile, restoreText } from "../../engine/manual/undo.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import type { World } from "../../engine/run/world.ts";
import { readPastTime } from "../results/times.ts";
import { findDocument, indexRecords, type KnownPlace, type StateAndDisk } from "./lookup.ts";
import { findEntryAt, findVersion, findNewest, explainObstacle, type HistoryEntry, readHistory } from "./history.ts";
import {
  makeLeftRow,
  type ItemsPlan,
  type PlanItem,
  makePlannedRow,
  listRows,
  runItems,
  meansSeveral,
  selectPaths,
} from "../manual/many.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { compareByPath } from "../../model/by-path.ts";
import { RESTORE } from "../declared/writes.ts";
import type { ResultOf } from "../define.ts";
import type { Operation } from "../run-operation.ts";

type RestoredItem = ResultOf<typeof RESTORE>["items"][number];

type RestorePlan = ItemsPlan<RestoredItem> & {
  /**
   * Restores the versions of this time, in milliseconds since the epoch. Null: restores only
   * deleted documents, each with its last version.
   */
  readonly asOf: number | null;
  /**
   * Versions at the time of planning, to compare with the input's `expected`. Empty in a plan for
   * several documents.
   * - `local`: current content; null without a file
   * - `version`: content to restore
   */
  readonly seen: Readonly<Record<string, Digest | null>>;
};

export const restore: Operation<typeof RESTORE, RestorePlan> = {
  declared: RESTORE,
  plan({ world }, { paths, n = null, asOf: time, expected }) {
    const timeResult = readPastTime(time, world.clock);
    if (timeResult.kind === "trouble") return timeResult;
    const asOf = timeResult.value;
    if (n !== null && (paths.length > 1 || asOf !== null))
      return refusal("a numbered version is of one document", "give one path and no time");
    const isOne = paths.length === 1 && asOf === null && (n !== null || isOneDocument(world.state, paths[0]!));
    if (expected !== undefined && !isOne)
      return refusal("expected names the versions of one document", "give one path and no time");
    if (isOne) return planOneDocument(world, paths[0]!, n);
    const items = planSeveralDocuments(world, toPaths(paths), asOf);
    return items.kind === "trouble" ? items : ok({ isOne, asOf, seen: {}, items: items.value });
  },
  seen: (_mirror, { seen }) => seen,
  preview: (plan) => ({ asOf: plan.asOf, run: null, items: listRows(plan) }),
  async run({ world }, plan, stop) {
    const runResult = await runItems(world, "restore", plan, stop);
    if (runResult.kind === "trouble") return runResult;
    return ok({ asOf: plan.asOf, run: runResult.value.run, items: runResult.value.items });
  },
};

/** Returns false if the name means a folder or a pattern. */
function isOneDocument(state: State, name: string): boolean {
  const base = state.load();
  return findDocument(state, base, name) !== null || !meansSeveral(base, name);
}

/** @param n number of the version; null for the last version that differs from the current file */
function planOneDocument({ state, disk }: World, name: string, n: number | null): Result<RestorePlan> {
  const foundVersion = findVersion({ state }, name, n);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { document, entries } = foundVersion.value;
  const atPath = disk.look(document.path);
  const currentDigest = atPath.kind === "file" ? atPath.digest : null;
  const earlierEntry =
    n === null && document.record !== null ? findNewest(entries, ({ digest }) => digest !== currentDigest) : undefined;
  const chosenEntry = earlierEntry ?? foundVersion.value.entry;
  const obstacle = explainObstacle(state, document, chosenEntry, atPath);
  if (obstacle !== null) return refusal(`${document.path}: ${obstacle.what}`, obstacle.next);
  const seenVersions = { local: currentDigest, version: chosenEntry.digest };
  return ok({
    isOne: true,
    asOf: null,
    seen: seenVersions,
    items: [planPutBack(document, chosenEntry, currentDigest)],
  });
}

/** Plans the restore of several documents. Omits documents that already have the wanted content. */
function planSeveralDocuments(
  { state, disk }: StateAndDisk,
  names: readonly string[],
  asOf: number | null,
): Result<readonly PlanItem<RestoredItem>[]> {
  const base = state.load();
  const documents = listRestorable(base, asOf);
  const knownPaths = new Set(documents.map(({ path }) => path));
  const paths = names.map((name) => (knownPaths.has(name) ? name : (findDocument(state, base, name)?.path ?? name)));
  const selection = selectPaths(paths, knownPaths, disk);
  if (selection.kind === "trouble") return selection;
  const storedOrigins = indexStoredOrigins(state);
  const items = documents
    .filter(({ path }) => selection.value(path))
    .flatMap((document) => planItem({ state, disk }, storedOrigins, document, asOf));
  return ok(items.toSorted((one, other) => compareByPath(one.row, other.row)));
}

/** Returns one document for each path: the document in base, or else a deleted document. */
function listRestorable(base: BaseTree, asOf: number | null): readonly KnownPlace[] {
  const documents = new Map<LocalPath, KnownPlace>();
  for (const [path, record] of indexRecords(base))
    documents.set(path, { id: record.id, path, requestedPath: path, record, tombstone: null });
  for (const tombstone of base.tombstones.values()) {
    const { id, localPath: path, at } = tombstone;
    const knownDocument = documents.get(path);
    if (base.records.has(id) || knownDocument?.tombstone === null) continue;
    if (knownDocument === undefined || isNearerDeletion(at, knownDocument.tombstone.at, asOf))
      documents.set(path, { id, path, requestedPath: path, record: null, tombstone });
  }
  return [...documents.values()];
}

/**
 * Compares two deleted documents of one path. Returns true if a restore takes the document that was
 * deleted at `deletedAt`, not the other document. With `asOf`, a restore takes the document that
 * was the first to be deleted after that time; without `asOf`, the document that was deleted last.
 */
function isNearerDeletion(deletedAt: number, otherAt: number, asOf: number | null): boolean {
  if (asOf === null) return deletedAt > otherAt;
  return deletedAt > asOf && (otherAt <= asOf || deletedAt < otherAt);
}

function planItem(
  { state, disk }: StateAndDisk,
  storedOrigins: State["storedOrigins"],
  document: KnownPlace,
  asOf: number | null,
): PlanItem<RestoredItem>[] {
  const { path } = document;
  const atPath = disk.look(path);
  if (isUnwanted(document, atPath, asOf)) return [];
  const wantedEntry = findEntryAt(readHistory(state, document, storedOrigins), asOf);
  if (typeof wantedEntry === "string") return [leaveAlone(path, wantedEntry)];
  const obstacle = explainObstacle(state, document, wantedEntry, atPath);
  if (obstacle !== null) return [leaveAlone(path, `${obstacle.what}; ${obstacle.next}`)];
  const currentDigest = atPath.kind === "file" ? atPath.digest : null;
  return currentDigest === wantedEntry.digest ? [] : [planPutBack(document, wantedEntry, currentDigest)];
}

function leaveAlone(path: LocalPath, why: string): PlanItem<RestoredItem> {
  return { row: { ...makeLeftRow(path, why), id: null, n: null, at: null, sha256: null, asNew: false }, act: null };
}

/**
 * Returns true if a document must not be restored. With `asOf`: the document was already deleted at
 * that time. Without `asOf`: the document is not deleted and has a local file.
 */
function isUnwanted({ record, tombstone }: KnownPlace, atPath: PathState, asOf: number | null): boolean {
  if (asOf === null) return record !== null && atPath.kind !== "absent";
  return tombstone !== null && tombstone.at <= asOf;
}

/**
 * Reads all rows about stored contents once, and indexes the rows by path and document. The state's
 * own function reads all rows in each call, which is slow for many documents.
 */
function indexStoredOrigins(state: State): State["storedOrigins"] {
  const allOrigins = state.storedOrigins({});
  const byPath = Map.groupBy(allOrigins, ({ path }) => path);
  const byId = Map.groupBy(allOrigins, ({ id }) => id);
  return ({ path, id, formerPaths = [] }) => {
    const foundOrigins = new Set([
      ...readOriginsUnder(byPath, path),
      ...readOriginsUnder(byId, id),
      ...formerPaths.flatMap((name) => readOriginsUnder(byPath, name)).filter((one) => one.id === null),
    ]);
    return [...foundOrigins].toSorted((a, b) => a.at - b.at);
  };
}

function readOriginsUnder<K>(
  index: ReadonlyMap<K, readonly StoredOrigin[]>,
  key: K | null | undefined,
): readonly StoredOrigin[] {
  return key === undefined || key === null ? [] : (index.get(key) ?? []);
}

/**
 * Plans the restore of one version. If the document is no longer on the service, plans a new
 * document.
 * @param currentDigest digest that the local file must still have; null if there must be no file
 */
function planPutBack(
  { id, path, record }: KnownPlace,
  entry: HistoryEntry,
  currentDigest: Digest | null,
): PlanItem<RestoredItem> {
  const [asNew, detail] = [record === null, `version ${entry.n} restored`];
  const version = { id, n: entry.n, at: Math.max(0, entry.at), sha256: entry.digest, asNew };
  const restoreContent = (ctx: CycleContext) => {
    const currentRecord = asNew ? null : ctx.world.state.record(id!);
    return currentRecord === null || currentDigest === null
      ? restoreFile(ctx, { id, path, isNew: currentRecord === null }, entry.digest, detail)
      : restoreText(ctx, currentRecord, entry.digest, currentDigest, detail);
  };
  return { row: { ...makePlannedRow(path), ...version }, act: restoreContent };
}
