/**
 * Checks whether a caller's local changes are on the service. Scans the disk again, because the
 * watcher may be late. Writes nothing.
 */

import type { ChangeId, DocId } from "../../../contract/ids.ts";
import { needsUser } from "../../model/block.ts";
import { type Block, type DocumentRecord, indexRecordsByPath } from "../../model/record.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree, UnsyncedEntry, LocalTree } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";
import { observeLocal } from "../observe/observe.ts";
import { type SyncProblem, makeBlockProblem } from "./report.ts";
import { lacksDocuments } from "./run-state.ts";
import type { World } from "./world.ts";

/** A path with a file or a deletion that may not be on the service yet. */
export type AwaitedPath = {
  readonly path: LocalPath;
  /**
   * Number of the newest run at the time of the scan. Only runs with a higher number scan the path
   * later.
   */
  readonly run: number;
  /**
   * True if mdmirror had sent content of the file before the scan, and had no answer yet. The
   * answer may come in a later run, and may concern other content than the scanned content.
   */
  readonly isUnderWay: boolean;
  /**
   * Id of the document that base had at the path during the scan; null if none. The document may
   * move later.
   */
  readonly id: DocId | null;
};

type UnsentPath = {
  readonly path: LocalPath;
  /** Reason why the path is never sent; `unknown` if no file is or was at the path. */
  readonly why: UnsyncedEntry["kind"] | "mirror-folder" | "unknown";
};

export type BarrierScanResult =
  | { readonly kind: "outside"; readonly outside: readonly UnsentPath[] }
  | {
      readonly kind: "seen";
      readonly awaited: readonly AwaitedPath[];
      /** Number of all files and deletions at or below the caller's paths. */
      readonly documents: number;
    };

/**
 * State of a path for which a caller waits.
 * - `live`: the service has the content that the file had at the scan, or later content.
 * - `gone`: neither side has a file at the path, and its document was not moved.
 * - `in-review`: the content was submitted, and a reviewer decides.
 * - `blocked`: the user must act, or the sync has one direction.
 * - `waiting`: mdmirror is sending the content, or cannot send it yet.
 */
export type PathOnService = {
  readonly path: LocalPath;
  readonly state: "live" | "gone" | "in-review" | "conflict" | "blocked" | "waiting";
  readonly id: DocId | null;
  /** Change id of base's version. In the state `live`, this version has the content. */
  readonly changeId: ChangeId | null;
  /** Change ids of the document's changes in review. */
  readonly reviews: readonly ChangeId[];
  /** Problem that prevents the state `live`; null if no problem is known. */
  readonly open: SyncProblem | null;
};

/**
 * Scans the disk for the paths of a caller. Returns the files and deletions that may not be on the
 * service yet. Returns the paths that are never sent instead, if there are any.
 * @param scope files and folders; "" is the whole linked folder
 * @param isCompared true if mdmirror has compared base with the service since the process began; a
 * file with base's content then counts as on the service
 */
export function scanAwaitedPaths(world: World, scope: readonly LocalPath[], isCompared: boolean): BarrierScanResult {
  const base = world.state.load();
  const scan: BarrierScanInput = {
    world,
    base,
    isProof: isCompared && !lacksDocuments(world.state),
    run: world.state.runs(1)[0]?.run ?? 0,
    records: indexRecordsByPath(base.records.values()),
    underWay: findDocumentsBeingSent(world),
    walk: once(() => observeLocal(world, base, true, () => undefined)),
  };
  const scannedScope = scope.map((path) => scanPath(scan, path));
  const unsentPaths = scannedScope.filter((result) => "why" in result);
  if (unsentPaths.length > 0) return { kind: "outside", outside: unsentPaths };
  const scannedPaths = new Map(scannedScope.flatMap((one) => ("why" in one ? [] : one)).map((one) => [one.path, one]));
  const openPaths = [...scannedPaths.values()].filter((path) => !path.isOnService);
  const awaitedPaths = openPaths.map(({ isOnService: _, ...one }) => one);
  return { kind: "seen", awaited: awaitedPaths, documents: scannedPaths.size };
}

/**
 * A scanned path. If `isOnService`, the service has the content of the file, and no caller need
 * wait.
 */
type ScannedPath = AwaitedPath & { readonly isOnService: boolean };

function scanPath(scan: BarrierScanInput, path: LocalPath): readonly ScannedPath[] | UnsentPath {
  if (isDocumentPath(scan, path)) return [makeAwaitedPath(scan, path)];
  return scanFolder(scan, path) ?? scanMissingPath(scan, path);
}

type BarrierScanInput = {
  readonly world: World;
  readonly base: BaseTree;
  /** True if base is known to be equal to the state of the service. */
  readonly isProof: boolean;
  readonly run: number;
  readonly records: ReadonlyMap<LocalPath, DocumentRecord>;
  /** Ids of recorded documents, and paths of new documents, whose uploads have no answer yet. */
  readonly underWay: ReadonlySet<string>;
  /** Scans the whole folder at the first call; later calls return the same scan. */
  readonly walk: () => LocalTree;
};

/** Returns true if a document's file is or was at the path, or if the path cannot be read. */
function isDocumentPath({ world, records, walk }: BarrierScanInput, path: LocalPath): boolean {
  if (path === "") return false;
  const pathState = world.disk.look(path);
  if (pathState.kind !== "folder" && records.get(path)?.state === "linked") return true;
  return pathState.kind !== "folder" && (walk().files.has(path) || walk().unseen.has(path));
}

function findDocumentsBeingSent({ state }: World): ReadonlySet<string> {
  const sentKeys = state.intents().flatMap(({ intent }) => {
    if (intent.kind === "put") return [intent.id];
    return intent.kind === "post" ? [intent.localPath] : [];
  });
  return new Set(sentKeys);
}

function makeAwaitedPath({ run, records, underWay }: BarrierScanInput, path: LocalPath): ScannedPath {
  const id = records.get(path)?.id ?? null;
  return { path, run, isUnderWay: underWay.has(path) || underWay.has(id ?? path), id, isOnService: false };
}

/**
 * Returns the files and deletions in a folder; null if neither the disk nor base has the folder.
 */
function scanFolder(scan: BarrierScanInput, folder: LocalPath): ScannedPath[] | null {
  const { base, records, walk } = scan;
  const localTree = walk();
  const paths = new Set<LocalPath>();
  for (const path of localTree.files.keys()) if (isBelow(path, folder)) paths.add(path);
  for (const path of findUnreadPaths(localTree, folder)) paths.add(path);
  for (const { localPath, state } of records.values())
    if (state === "linked" && isBelow(localPath, folder)) paths.add(localPath);
  const isKnown =
    folder === "" || localTree.folders.has(folder) || [...base.dirs.values()].some((dir) => dir.localPath === folder);
  if (paths.size === 0 && !isKnown) return null;
  return [...paths].map((path) => ({ ...makeAwaitedPath(scan, path), isOnService: isOnService(scan, path) }));
}

function isOnService({ base, isProof, records, walk }: BarrierScanInput, path: LocalPath): boolean {
  const record = records.get(path);
  return (
    isProof &&
    record !== undefined &&
    record.localDigest === walk().files.get(path)?.digest &&
    !base.conflicts.has(record.id)
  );
}

function findUnreadPaths(local: LocalTree, folder: LocalPath): LocalPath[] {
  const isItself = (path: LocalPath) => path === folder && (folder !== "" || hasReadNothing(local));
  return [...local.unseen.keys()].filter((path) => isItself(path) || isBelow(path, folder));
}

/**
 * Returns true if the scan could read nothing. If the folder only kept changing, the scan has
 * files.
 */
function hasReadNothing({ unseen, files, others }: LocalTree): boolean {
  return unseen.has("") && files.size + others.size === 0;
}

/**
 * Scans a path that has neither a file nor a record. The file was deleted, could not be read, is
 * never sent, or never existed.
 */
function scanMissingPath(scan: BarrierScanInput, path: LocalPath): ScannedPath[] | UnsentPath {
  const { world, base, walk } = scan;
  if (hasReadNothing(walk())) return [makeAwaitedPath(scan, path)];
  for (const folder of [...ancestorsOf(path), path]) {
    if (folder === ".mdmirror") return { path, why: "mirror-folder" };
    if (walk().unseen.has(folder)) return [makeAwaitedPath(scan, path)];
    const otherEntry = walk().others.get(folder);
    if (otherEntry !== undefined) return { path, why: otherEntry.kind };
  }
  const existedBefore = [...base.tombstones.values()].some(
    ({ localPath }) => localPath === path || isBelow(localPath, path),
  );
  if (existedBefore || world.state.events({ limit: 1, path }).length > 0) return [makeAwaitedPath(scan, path)];
  return { path, why: "unknown" };
}

/**
 * Returns the current state of each path.
 * - A path is `live` if its file has base's content, or if a run after the scan has sent the
 *   content of its document.
 * - A new base alone proves nothing. After a merge, base is new although an edit must still be
 *   sent. After a move, another document may have the path.
 * - After a stop because of missing documents on the service, base may be wrong, and no path is
 *   `live`.
 * @param isCompared true if mdmirror has compared base with the service since the process began
 */
export function readPathStates(world: World, awaited: readonly AwaitedPath[], isCompared: boolean): PathOnService[] {
  const base = world.state.load();
  const records = indexRecordsByPath(base.records.values());
  const isProof = isCompared && !lacksDocuments(world.state);
  const blocks = new Map([...base.blocks.values()].map((block) => [block.path, block]));
  return awaited.map((awaited) => {
    const { path } = awaited;
    const record = records.get(path) ?? findMovedRecord(world, base, awaited);
    const block = (record === null ? undefined : base.blocks.get(record.id)) ?? blocks.get(path) ?? null;
    const ids = { id: record?.id ?? null, changeId: record?.changeId ?? null, reviews: listReviews(record) };
    const openProblem = block === null ? null : makeBlockProblem(block);
    if (record !== null && base.conflicts.has(record.id)) return { ...ids, path, state: "conflict", open: openProblem };
    const state = decidePathState(world, awaited, { record, block, isProof });
    return { ...ids, path, state, open: state === "live" || state === "gone" ? null : openProblem };
  });
}

/**
 * Returns the record of a document whose file was moved away since the scan; null for other
 * documents.
 */
function findMovedRecord({ disk }: World, { records }: BaseTree, { path, id }: AwaitedPath): DocumentRecord | null {
  const record = id === null ? undefined : records.get(id);
  return record?.state === "linked" && disk.look(path).kind === "absent" ? record : null;
}

type PathFacts = { readonly record: DocumentRecord | null; readonly block: Block | null; readonly isProof: boolean };

function decidePathState(
  world: World,
  awaited: AwaitedPath,
  { record, block, isProof }: PathFacts,
): PathOnService["state"] {
  const pathState = world.disk.look(record?.localPath ?? awaited.path);
  if (pathState.kind === "absent" && record === null) return "gone";
  const digest = pathState.kind === "file" ? pathState.digest : null;
  if (isProof && record?.state === "linked" && digest !== null)
    if (record.localDigest === digest || wasSentSince(world, record.id, awaited)) return "live";
  const isSent = record?.submissions.some((submission) => submission.digest === digest) === true;
  if (isSent || block?.reason === "in-review" || block?.reason === "review-conflict") return "in-review";
  if (block === null || mayEndByItself(block)) return "waiting";
  return needsUser(block.reason) || block.reason === "direction-off" ? "blocked" : "waiting";
}

const SENDING_KINDS = ["put", "create-remote"];
/**
 * LIMIT: number of the document's newest upload events that are searched, so that the search is
 * fast. If all of these uploads went to review, older uploads are not found, and the caller waits
 * longer.
 */
const NEWEST_VERSIONS = 8;

/**
 * Returns true if mdmirror sent content of the document after the scan. If an upload was under way
 * during the scan, two upload events are needed: the first event may belong to that upload.
 */
function wasSentSince({ state }: World, id: DocId, { run: since, isUnderWay }: AwaitedPath): boolean {
  const events = state.events({ limit: NEWEST_VERSIONS, id, kinds: SENDING_KINDS });
  const sentEvents = events.filter(({ run, outcome }) => run > since && outcome === "done");
  return sentEvents.length > (isUnderWay ? 1 : 0);
}

/**
 * Returns true if a later scan may end a block without the user, although the report says that the
 * user must act.
 */
function mayEndByItself({ reason }: Block): boolean {
  return reason === "not-seen" || reason === "local-unreadable";
}

function listReviews(record: DocumentRecord | null): ChangeId[] {
  const ids = (record?.submissions ?? []).flatMap(({ changeId }) => (changeId === undefined ? [] : [changeId]));
  return [...new Set(ids)];
}
