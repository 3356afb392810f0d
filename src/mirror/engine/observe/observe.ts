/**
 * Scans both sides. The tree of an incomplete scan is marked; the planner decides what this means.
 */

import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderResource } from "../../../contract/resources.ts";
import { isAway, type DocumentRecord, indexRecordsByPath } from "../../model/record.ts";
import { isBelow, type LocalPath, parentOf } from "../../../contract/path.ts";
import type { KnownFile, StoreContent } from "../../ports/disk.ts";
import type { Fault, Listing } from "../../ports/remote.ts";
import type { RecordColumns } from "../../model/left-out.ts";
import type { State } from "../../ports/state.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteFile, RemoteFolder, RemoteTree } from "../../model/tree.ts";
import {
  type AbsenceProof,
  type DocumentList,
  findUnlisted,
  isWholeServiceFault,
  listDocuments,
  makeEmptyProof,
  proveAbsences,
  type StoreRemoteContent,
} from "./documents.ts";
import { fromServicePath, type World } from "../run/world.ts";

export type LoadedBase = BaseTree & {
  /**
   * Records in a form that takes less memory; `records` does not contain them. A scan leaves out
   * the unchanged documents of these records.
   */
  readonly columns?: RecordColumns | undefined;
};

/**
 * Scans the folder. Reads only files whose stamp differs from the recorded stamp, and stores new
 * content (I03).
 */
export function observeLocal(world: World, base: LoadedBase, inodesTrusted: boolean, keep: StoreContent): LocalTree {
  world.progress.report("scan", 0, null);
  // One transaction stores all contents, because a transaction for each content would be slow. The
  // transaction is short, because the scan does not pause.
  const tree = world.state.transact(() => world.disk.walk(makeKnownFileLookup(world.state, base), keep, base.columns));
  return finishScan(world, base, inodesTrusted, tree);
}

/**
 * Scans like `observeLocal`, but pauses to receive answers of the service, and reports the number
 * of files read.
 * @param turn resolves when waiting answers were received
 */
export async function observeLocalAsync(
  world: World,
  base: LoadedBase,
  inodesTrusted: boolean,
  keep: StoreContent,
  turn: () => Promise<void>,
): Promise<LocalTree> {
  let readCount = 0;
  const keepCounted: StoreContent = (...text) => {
    readCount++;
    keep(...text);
  };
  world.progress.report("scan", readCount, null);
  // Pending requests are sent before the scan blocks the event loop.
  await turn();
  const walk = world.disk.walkInParts(makeKnownFileLookup(world.state, base), keepCounted, base.columns);
  for (;;) {
    // Each part has its own transaction, so that no transaction is open during the pauses.
    const part = world.state.transact(() => walk.next());
    if (part.done === true) return finishScan(world, base, inodesTrusted, part.value);
    world.progress.report("scan", readCount, null);
    await turn();
  }
}

function makeKnownFileLookup(
  state: State,
  { records: loaded, columns }: LoadedBase,
): (path: LocalPath) => KnownFile | null {
  const records = indexRecordsByPath(loaded.values());
  return (path) => {
    const record = records.get(path) ?? columns?.at(path) ?? null;
    if (record === null) return null;
    const { stamp, localDigest: digest, localPath } = record;
    if (record.stampTrusted && stamp !== null) return { stamp, digest, path: localPath };
    // The stamp of a downloaded file is not trusted until a scan has read the file. Content that is
    // still in the content store is not stored again.
    return state.hasText(digest) ? { stamp: null, digest, path: localPath } : null;
  };
}

function finishScan(world: World, { columns }: LoadedBase, inodesTrusted: boolean, tree: LocalTree): LocalTree {
  const count = tree.files.size + (columns?.localCount ?? 0);
  world.progress.report("scan", count, count);
  return { ...tree, inodesTrusted };
}

/**
 * Records the newer stamp of each file that was read and is unchanged, so that the next scan need
 * not read the file.
 * @returns base with the changed records, without loading all records again
 */
export function refreshStamps({ state }: World, base: BaseTree, { files }: LocalTree): BaseTree {
  const refreshedRecords: DocumentRecord[] = [];
  for (const record of base.records.values()) {
    const file = isAway(record) ? undefined : files.get(record.localPath);
    if (file !== undefined && provesNewStamp(file, record))
      refreshedRecords.push({ ...record, stamp: file.stamp, stampTrusted: true });
  }
  if (refreshedRecords.length === 0) return base;
  state.transact(() => {
    for (const record of refreshedRecords) state.putRecord(record);
  });
  const records = new Map(base.records);
  for (const record of refreshedRecords) records.set(record.id, record);
  return { ...base, records };
}

/** Returns true if a file has the record's content, but another stamp. */
function provesNewStamp(file: LocalFile, { localDigest, stamp, stampTrusted }: DocumentRecord): boolean {
  const { ctimeMs, ino } = file.stamp;
  const isKnown = stampTrusted && stamp !== null && stamp.ctimeMs === ctimeMs && stamp.ino === ino;
  return file.stampTrusted && file.digest === localDigest && !isKnown;
}

export type RemoteScan =
  | { readonly kind: "seen"; readonly tree: RemoteTree }
  | { readonly kind: "unreachable"; readonly fault: Fault };

/**
 * Facts about the service from earlier requests: a new listing, and the folders of an earlier
 * listing.
 */
export type KnownRemoteFacts = {
  readonly files?: DocumentList;
  /**
   * Folders of an earlier listing. If a document is in another folder, mdmirror lists the folders
   * again.
   */
  readonly folders?: ReadonlyMap<DirId, RemoteFolder>;
  /**
   * Stores content that was read only as a proof, because a user may change the content later
   * (I03).
   */
  readonly keep?: StoreRemoteContent;
};

/**
 * Lists the linked part of the workspace, and proves each absence. If a page of the listing fails,
 * no document counts as absent (I20).
 * @param trustEmpty true if the user approved that no known document is visible: a 404 alone is
 * then a proof of absence
 */
export async function observeRemote(
  world: World,
  before: LoadedBase,
  trustEmpty: boolean,
  known: KnownRemoteFacts = {},
): Promise<RemoteScan> {
  const { columns } = before;
  const [documentList, earlyFolders] = await listDocumentsAndFolders(world, known, columns);
  const filesById = documentList.files;
  const base = columns === undefined ? before : addUnlistedRecords(before, columns, filesById);
  // A missing document counts as absent only if the key still works. As a proof, mdmirror lists the
  // folders again and looks for a folder of base.
  const unlistedDocuments = findUnlisted(base, filesById);
  const isAnyMissing = unlistedDocuments.missing.length > 0;
  const reusedFolders = isAnyMissing ? null : findReusableFolders(known.folders, filesById);
  const folders = reusedFolders === null ? (earlyFolders ?? (await listFolders(world))) : NO_FOLDER_LISTING;
  const serviceFault = findServiceFault(documentList);
  if (serviceFault !== null) return { kind: "unreachable", fault: serviceFault };

  const foldersById = collectFolders(world, reusedFolders, folders);
  const isHealthy = trustEmpty || (isAnyMissing && containsKnownFolder(base, foldersById));
  const proof = documentList.complete
    ? await proveAbsences(world, { base, seen: filesById, keep: known.keep }, unlistedDocuments, isHealthy)
    : makeEmptyProof(unlistedDocuments, documentList.fault);
  if (proof.fault !== null) return { kind: "unreachable", fault: proof.fault };
  const tree = makeRemoteTree(base, { files: documentList, folders, filesById, foldersById, proof, columns });
  const generation = world.remote.generation();
  return { kind: "seen", tree: generation === null ? tree : { ...tree, generation } };
}

/**
 * Returns base with the records of documents that the service lists with changes, or does not list.
 * If a document is missing, also adds one document that the service lists unchanged. A read of this
 * document can show that the key works.
 */
function addUnlistedRecords(base: BaseTree, columns: RecordColumns, seen: Map<DocId, RemoteFile>): BaseTree {
  const records = columns.unlisted(seen.keys());
  const [listedFile] = records.keys().every((id) => seen.has(id)) ? [] : columns.listed();
  if (listedFile === undefined) return { ...base, records };
  seen.set(listedFile.id, listedFile);
  return { ...base, records: columns.unlisted([listedFile.id]) };
}

function listDocumentsAndFolders(
  world: World,
  known: KnownRemoteFacts,
  columns: RecordColumns | undefined,
): Promise<[DocumentList, Listing<FolderResource> | null]> {
  return Promise.all([
    known.files ?? listDocuments(world, columns),
    known.folders === undefined ? listFolders(world) : null,
  ]);
}

const NO_FOLDER_LISTING: Listing<FolderResource> = { items: [], complete: false, fault: null };

type ScanResults = {
  readonly files: DocumentList;
  readonly folders: Listing<FolderResource>;
  readonly filesById: ReadonlyMap<DocId, RemoteFile>;
  readonly foldersById: ReadonlyMap<DirId, RemoteFolder>;
  readonly proof: AbsenceProof;
  readonly columns: RecordColumns | undefined;
};

function makeRemoteTree(
  base: BaseTree,
  { files, folders, filesById, foldersById, proof, columns }: ScanResults,
): RemoteTree {
  const isComplete = folders.complete && files.complete;
  return {
    files: filesById,
    folders: foldersById,
    complete: files.complete,
    foldersComplete: folders.complete,
    goneFolders: isComplete
      ? findGoneFolders(base, foldersById, () => [...(columns?.listed() ?? []), ...filesById.values()])
      : new Set<DirId>(),
    gone: proof.gone,
    outside: proof.outside,
    unseen: proof.unseen,
    ...(proof.nothingKnown ? { nothingKnown: true } : {}),
    ...describeGap(files.fault ?? folders.fault),
  };
}

/**
 * Returns the fault of an incomplete listing if the fault affects the whole service, not only a
 * page of the listing (I19).
 */
function findServiceFault({ complete, fault, isEmpty }: DocumentList): Fault | null {
  if (complete || fault === null) return null;
  return isWholeServiceFault(fault) || (fault.kind === "problem" && isEmpty) ? fault : null;
}

/**
 * Returns the reason why a listing is incomplete. `misread`: the next listing will also be
 * incomplete. `cutShort`: the next listing may be complete.
 */
function describeGap(fault: Fault | null): Pick<RemoteTree, "misread" | "cutShort"> {
  if (fault === null) return {};
  return fault.kind === "later" && fault.cause === "malformed" ? { misread: fault.detail } : { cutShort: fault.detail };
}

function listFolders({ remote, prefix }: World): Promise<Listing<FolderResource>> {
  return remote.listFolders(prefix === "" ? null : prefix);
}

/**
 * Returns the folders of an earlier listing. Returns null if a listed document is in another
 * folder.
 */
function findReusableFolders(
  folders: ReadonlyMap<DirId, RemoteFolder> | undefined,
  seen: ReadonlyMap<DocId, RemoteFile>,
): ReadonlyMap<DirId, RemoteFolder> | null {
  return folders !== undefined && containsParents(seen, folders) ? folders : null;
}

function collectFolders(
  world: World,
  believed: ReadonlyMap<DirId, RemoteFolder> | null,
  listed: Listing<FolderResource>,
): Map<DirId, RemoteFolder> {
  const dirs = new Map<DirId, RemoteFolder>(believed ?? []);
  for (const item of listed.items) {
    const path = fromServicePath(world, item.path);
    if (path !== null && path !== "") dirs.set(item.id, { id: item.id, path });
  }
  return dirs;
}

function containsKnownFolder({ dirs }: BaseTree, listed: ReadonlyMap<DirId, RemoteFolder>): boolean {
  for (const id of dirs.keys()) if (listed.has(id)) return true;
  return false;
}

function containsParents(files: ReadonlyMap<DocId, RemoteFile>, folders: ReadonlyMap<DirId, RemoteFolder>): boolean {
  const paths = new Set([...folders.values()].map((folder) => folder.path));
  for (const { path } of files.values()) {
    const parent = parentOf(path);
    if (parent !== "" && !paths.has(parent)) return false;
  }
  return true;
}

/**
 * Finds folders of base that no longer exist: no listing has the folder, and no document is below
 * its path. If a document is below the path, the folder may exist, and the key may not be allowed
 * to read the folder.
 */
function findGoneFolders(
  base: BaseTree,
  listed: ReadonlyMap<DirId, RemoteFolder>,
  listFiles: () => readonly RemoteFile[],
): Set<DirId> {
  const missingFolders = [...base.dirs.values()].filter((dir) => !listed.has(dir.id));
  if (missingFolders.length === 0) return new Set();
  const files = listFiles();
  // If another folder has the path now, the old folder was deleted: the documents below the path
  // are in the new folder.
  const paths = new Set([...listed.values()].map((folder) => folder.path));
  const goneFolders = missingFolders.filter(
    ({ remotePath }) => paths.has(remotePath) || !files.some(({ path }) => isBelow(path, remotePath)),
  );
  return new Set(goneFolders.map((dir) => dir.id));
}
