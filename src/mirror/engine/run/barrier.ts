/**
 * Checks whether the local content at the time of a call is on the service. Scans the disk itself,
 * because the watcher may not have reported a save yet. Writes nothing.
 */

import type { ChangeId, DocId } from "../../../contract/ids.ts";
import { needsUser } from "../../model/block.ts";
import { type Block, type DocumentRecord, recordsByPath } from "../../model/record.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree, LocalOther, LocalTree } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";
import { observeLocal } from "../observe/observe.ts";
import { type Attention, attentionOfBlock } from "./report.ts";
import { lacksDocuments } from "./run-state.ts";
import type { World } from "./world.ts";

/** A file or a deletion that is not known to be on the service. */
export type AwaitedPath = {
  readonly path: LocalPath;
  /** Number of the newest run when the path was scanned. A later run has scanned the disk since. */
  readonly run: number;
  /**
   * True if, at that scan, content of the file had been sent and the service had not answered. If a
   * later run finds that content on the service, the current file may still differ.
   */
  readonly isUnderWay: boolean;
  /**
   * Document that base had at the path at that scan; null if none. Its file may have moved since.
   */
  readonly id: DocId | null;
};

/** A path that is never sent to the service. */
type UnsentPath = {
  readonly path: LocalPath;
  /** Reason. `unknown`: nothing is at the path, and nothing ever was. */
  readonly why: LocalOther["kind"] | "mirror-folder" | "unknown";
};

export type NotedPaths =
  | { readonly kind: "outside"; readonly outside: readonly UnsentPath[] }
  | {
      readonly kind: "seen";
      readonly awaited: readonly AwaitedPath[];
      /**
       * Number of files and deletions at or below the paths, including those already on the
       * service.
       */
      readonly documents: number;
    };

/**
 * - `live`: the service has, or had meanwhile, the content that was on the disk at the scan or
 * later.
 * - `gone`: nothing is at the path on either side, and its document is not elsewhere.
 * - `in-review`: the content was submitted, and a reviewer decides.
 * - `blocked`: the user must act, or the sync has one direction.
 * - `waiting`: the content is being sent, or cannot be sent yet.
 */
export type PathOnService = {
  readonly path: LocalPath;
  readonly state: "live" | "gone" | "in-review" | "conflict" | "blocked" | "waiting";
  readonly id: DocId | null;
  /** Change id of the base version; for `live`, of the version with the content. */
  readonly changeId: ChangeId | null;
  /** Changes in review that the service reported. */
  readonly reviews: readonly ChangeId[];
  /** Reason why the path is not live; null if it is live, or no reason is known. */
  readonly open: Attention | null;
};

/**
 * Scans the disk for the paths of a caller.
 * @param scope files and folders; "" is the whole linked folder
 * @param isCompared true if base may count as the service's state
 */
export function noteLocalState(world: World, scope: readonly LocalPath[], isCompared: boolean): NotedPaths {
  const base = world.state.load();
  const scan: BarrierScan = {
    world,
    base,
    isProof: isCompared && !lacksDocuments(world.state),
    run: world.state.runs(1)[0]?.run ?? 0,
    records: recordsByPath(base.records.values()),
    underWay: documentsBeingSent(world),
    walk: once(() => observeLocal(world, base, true, () => undefined)),
  };
  const found = scope.map((path) => scanPath(scan, path));
  const outside = found.filter((result) => "why" in result);
  if (outside.length > 0) return { kind: "outside", outside };
  const all = new Map(found.flatMap((one) => ("why" in one ? [] : one)).map((one) => [one.path, one]));
  const open = [...all.values()].filter((path) => !path.isOnService);
  const awaited = open.map(({ isOnService: _, ...one }) => one);
  return { kind: "seen", awaited, documents: all.size };
}

/**
 * A scanned file or deletion. `isOnService`: the service has its content already, so the caller
 * need not wait for it.
 */
type ScannedPath = AwaitedPath & { readonly isOnService: boolean };

function scanPath(scan: BarrierScan, path: LocalPath): readonly ScannedPath[] | UnsentPath {
  if (isFile(scan, path)) return [awaitedAt(scan, path)];
  return below(scan, path) ?? nothingAt(scan, path);
}

type BarrierScan = {
  readonly world: World;
  readonly base: BaseTree;
  /** True if base shows the service's state. */
  readonly isProof: boolean;
  readonly run: number;
  readonly records: ReadonlyMap<LocalPath, DocumentRecord>;
  /** Ids of existing documents, and paths of new ones, whose upload has no answer yet. */
  readonly underWay: ReadonlySet<string>;
  /** Returns a scan of the whole folder, made at the first call. */
  readonly walk: () => LocalTree;
};

/** Returns true if the path is that of a document that exists, existed, or cannot be read. */
function isFile({ world, records, walk }: BarrierScan, path: LocalPath): boolean {
  if (path === "") return false;
  const atPath = world.disk.look(path);
  if (atPath.kind !== "folder" && records.get(path)?.state === "linked") return true;
  return atPath.kind !== "folder" && (walk().files.has(path) || walk().unseen.has(path));
}

function documentsBeingSent({ state }: World): ReadonlySet<string> {
  const sent = state.intents().flatMap(({ intent }) => {
    if (intent.kind === "put") return [intent.id];
    return intent.kind === "post" ? [intent.localPath] : [];
  });
  return new Set(sent);
}

function awaitedAt({ run, records, underWay }: BarrierScan, path: LocalPath): ScannedPath {
  const id = records.get(path)?.id ?? null;
  return { path, run, isUnderWay: underWay.has(path) || underWay.has(id ?? path), id, isOnService: false };
}

/**
 * Returns the files and deletions in a folder; null if the folder exists neither locally nor in
 * base.
 */
function below(scan: BarrierScan, folder: LocalPath): ScannedPath[] | null {
  const { base, records, walk } = scan;
  const local = walk();
  const paths = new Set<LocalPath>();
  for (const path of local.files.keys()) if (isBelow(path, folder)) paths.add(path);
  for (const path of unreadIn(local, folder)) paths.add(path);
  for (const { localPath, state } of records.values())
    if (state === "linked" && isBelow(localPath, folder)) paths.add(localPath);
  const isKnown =
    folder === "" || local.folders.has(folder) || [...base.dirs.values()].some((dir) => dir.localPath === folder);
  if (paths.size === 0 && !isKnown) return null;
  return [...paths].map((path) => ({ ...awaitedAt(scan, path), isOnService: isOnService(scan, path) }));
}

function isOnService({ base, isProof, records, walk }: BarrierScan, path: LocalPath): boolean {
  const record = records.get(path);
  return (
    isProof &&
    record !== undefined &&
    record.localDigest === walk().files.get(path)?.digest &&
    !base.conflicts.has(record.id)
  );
}

/** Returns the paths in a folder that could not be read, including the folder itself. */
function unreadIn(local: LocalTree, folder: LocalPath): LocalPath[] {
  const isItself = (path: LocalPath) => path === folder && (folder !== "" || isUnread(local));
  return [...local.unseen.keys()].filter((path) => isItself(path) || isBelow(path, folder));
}

/**
 * Returns true if no path could be read. If the folder merely keeps changing, its files were read.
 */
function isUnread({ unseen, files, others }: LocalTree): boolean {
  return unseen.has("") && files.size + others.size === 0;
}

/**
 * Handles a path with no synced entry: the entry was deleted, is never sent to the service, or
 * could not be read.
 */
function nothingAt(scan: BarrierScan, path: LocalPath): ScannedPath[] | UnsentPath {
  const { world, base, walk } = scan;
  if (isUnread(walk())) return [awaitedAt(scan, path)];
  for (const above of [...ancestorsOf(path), path]) {
    if (above === ".mdmirror") return { path, why: "mirror-folder" };
    if (walk().unseen.has(above)) return [awaitedAt(scan, path)];
    const other = walk().others.get(above);
    if (other !== undefined) return { path, why: other.kind };
  }
  const wasThere = [...base.tombstones.values()].some(
    ({ localPath }) => localPath === path || isBelow(localPath, path),
  );
  if (wasThere || world.state.events({ limit: 1, path }).length > 0) return [awaitedAt(scan, path)];
  return { path, why: "unknown" };
}

/**
 * Returns the current state of each path. A path is `live` if its file still has base's content, or
 * if a run that began after the scan has sent its document's content. A new base alone is not
 * proof: a merge moves base although an edit is still to be sent, and a move brings another
 * document's content. If a safety check stops the sync because the service lacks documents, base
 * may be wrong, so no path is `live`.
 * @param isCompared true if base may count as the service's state
 */
export function judgeBarrier(world: World, awaited: readonly AwaitedPath[], isCompared: boolean): PathOnService[] {
  const base = world.state.load();
  const records = recordsByPath(base.records.values());
  const isProof = isCompared && !lacksDocuments(world.state);
  const blocks = new Map([...base.blocks.values()].map((block) => [block.path, block]));
  return awaited.map((awaited) => {
    const { path } = awaited;
    const record = records.get(path) ?? movedSince(world, base, awaited);
    const block = (record === null ? undefined : base.blocks.get(record.id)) ?? blocks.get(path) ?? null;
    const ids = { id: record?.id ?? null, changeId: record?.changeId ?? null, reviews: reviewsOf(record) };
    const open = block === null ? null : attentionOfBlock(block);
    if (record !== null && base.conflicts.has(record.id)) return { ...ids, path, state: "conflict", open };
    const state = stateOf(world, awaited, { record, block, isProof });
    return { ...ids, path, state, open: state === "live" || state === "gone" ? null : open };
  });
}

/**
 * Returns the record of a document whose file was moved since the scan, on the service or by its
 * user. Null if it was not.
 */
function movedSince({ disk }: World, { records }: BaseTree, { path, id }: AwaitedPath): DocumentRecord | null {
  const record = id === null ? undefined : records.get(id);
  return record?.state === "linked" && disk.look(path).kind === "absent" ? record : null;
}

type PathFacts = { readonly record: DocumentRecord | null; readonly block: Block | null; readonly isProof: boolean };

function stateOf(world: World, awaited: AwaitedPath, { record, block, isProof }: PathFacts): PathOnService["state"] {
  const atPath = world.disk.look(record?.localPath ?? awaited.path);
  if (atPath.kind === "absent" && record === null) return "gone";
  const digest = atPath.kind === "file" ? atPath.digest : null;
  if (isProof && record?.state === "linked" && digest !== null)
    if (record.localDigest === digest || wasSentSince(world, record.id, awaited)) return "live";
  const isSent = record?.submissions.some((submission) => submission.digest === digest) === true;
  if (isSent || block?.reason === "in-review" || block?.reason === "review-conflict") return "in-review";
  if (block === null || mayEndByItself(block)) return "waiting";
  return needsUser(block.reason) || block.reason === "direction-off" ? "blocked" : "waiting";
}

/** Kinds of events in which content was sent. */
const SENDING = ["put", "create-remote"];
/**
 * LIMIT: versions of a document that are searched. If more versions were sent to review since, the
 * content is not found, and the caller waits longer.
 */
const NEWEST_VERSIONS = 8;

/**
 * Returns true if content was sent after the scan. If content was being sent during the scan, the
 * first event of a later run may be about that content.
 */
function wasSentSince({ state }: World, id: DocId, { run: since, isUnderWay }: AwaitedPath): boolean {
  const events = state.events({ limit: NEWEST_VERSIONS, id, kinds: SENDING });
  const sent = events.filter(({ run, outcome }) => run > since && outcome === "done");
  return sent.length > (isUnderWay ? 1 : 0);
}

/** Returns true if a later scan may end a block, although reports say that the user must act. */
function mayEndByItself({ reason }: Block): boolean {
  return reason === "not-seen" || reason === "local-unreadable";
}

function reviewsOf(record: DocumentRecord | null): ChangeId[] {
  const ids = (record?.submissions ?? []).flatMap(({ changeId }) => (changeId === undefined ? [] : [changeId]));
  return [...new Set(ids)];
}
