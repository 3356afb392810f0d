import { NOTHING_SEEN } from "../observe/both-sides.ts";
import type { DirId } from "../../../contract/ids.ts";
import type { FolderRecord, DocumentRecord } from "../../model/link.ts";
import { ancestorsOf, foldsNames, isConflictCopyName, type LocalPath, nameOf } from "../../../contract/path.ts";
import type { LocalFolder, LocalTree, RemoteFile, RemoteTree, Trees } from "../../model/tree.ts";
import { localFileOf } from "../../model/left-out.ts";
import type { State } from "../../ports/state.ts";

/** Last scans of both sides. */
type LastSeen = {
  /** Ignore rules and properties of the disk; the entries are not needed. */
  readonly local: LocalTree;
  readonly remote: RemoteTree;
};

/**
 * Returns trees that contain only these documents and the folders above them, taken from base and
 * the service's last scan. Local files are taken from the records until they are scanned.
 * @param shown documents that the service has just shown
 * @returns null if one of them cannot be planned without the other documents
 */
export function narrowTrees(
  state: State,
  { local, remote }: LastSeen,
  paths: readonly LocalPath[],
  shown: readonly RemoteFile[] = [],
): Trees | null {
  const blocked = new Set(state.blocks().flatMap(({ key, path }) => [key, path]));
  const records = paths.flatMap((path) => state.linksAt(path));
  const links = new Map(records.map((link) => [link.id, link]));
  const created = shown.filter(({ id }) => !links.has(id));
  const dirs = new Map<DirId, FolderRecord>();
  for (const path of [...records.map(({ localPath }) => localPath), ...created.map((file) => file.path)])
    for (const folder of ancestorsOf(path)) {
      const dir = state.dirAt(folder);
      if (dir === null || !remote.folders.has(dir.id) || blocked.has(dir.id)) return null;
      dirs.set(dir.id, dir);
    }
  // A block may have been recorded for an earlier file at a path without a record.
  const unlinked = paths.filter((path) => !records.some(({ localPath }) => localPath === path));
  const isAlone =
    paths.every((path) => !blocked.has(path)) &&
    unlinked.every((path) => blocked.size === 0 && mayBeNew(state, path)) &&
    new Set(records.map(({ localPath }) => localPath)).size === records.length &&
    records.every((link) => isPlain(state, link) && remote.files.has(link.id) && !blocked.has(link.id)) &&
    created.every((file) => !blocked.has(file.id) && isUnknown(state, local, file));
  if (!isAlone) return null;
  const ignored = unlinked.filter((path) => local.ignores(path, "folder"));
  const listed = records.map(({ id }) => remote.files.get(id)!);
  return {
    base: { links, dirs, tombstones: new Map(), conflicts: new Map(), blocks: new Map() },
    local: {
      ...local,
      partial: true,
      files: new Map(records.map((link) => [link.localPath, localFileOf(link)!])),
      folders: new Map([...dirs.values()].map((dir) => [dir.localPath, localFolderOf(dir)])),
      others: new Map(ignored.map((path) => [path, { path, kind: "ignored-folder", stamp: null }])),
      unseen: new Map(),
    },
    remote: {
      ...NOTHING_SEEN,
      files: new Map([...listed, ...shown].map((file) => [file.id, file])),
      folders: new Map([...dirs.keys()].map((id) => [id, remote.folders.get(id)!])),
      complete: true,
      foldersComplete: true,
    },
  };
}

function localFolderOf({ localPath: path, dev, ino, birthMs }: FolderRecord): LocalFolder {
  return { path, dev, ino, birthMs };
}

/** Returns true if a path without a record may be that of a new file, or of nothing. */
function mayBeNew(state: State, path: LocalPath): boolean {
  return path !== "" && !isConflictCopyName(nameOf(path)) && state.dirAt(path) === null;
}

function isPlain(state: State, link: DocumentRecord): boolean {
  return link.state === "linked" && link.stamp !== null && state.conflict(link.id) === null;
}

/** Returns true if a document is new on the service, and its path is free for it. */
function isUnknown(state: State, { disk, ignores }: LocalTree, { id, path }: RemoteFile): boolean {
  // A document that comes back gets its former local name, which the tombstone records.
  if (state.link(id) !== null || state.tombstone(id) !== null) return false;
  // On a disk that treats two spellings as one name, another document may have the path.
  return !ignores(path, "file") && !foldsNames(disk);
}
