import type { DocId } from "../../contract/ids.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";
import type { DocumentRecord } from "./record.ts";
import type { LocalFile, RemoteFile, LeftOut, Trees } from "./tree.ts";

export const NOTHING_LEFT_OUT: LeftOut = { count: 0, documents: () => [], idAt: () => null, record: () => null };

/** Yields the paths of all local files, also of files that the trees leave out. */
export function* generateLocalPaths({ local, leftOut = NOTHING_LEFT_OUT }: Trees): Generator<LocalPath> {
  yield* local.files.keys();
  for (const { localPath } of leftOut.documents()) yield localPath;
}

/** Yields the paths of all documents on the service, also of documents that the trees leave out. */
export function* generateRemotePaths({ remote, leftOut = NOTHING_LEFT_OUT }: Trees): Generator<RemotePath> {
  for (const { path } of remote.files.values()) yield path;
  for (const { remotePath } of leftOut.documents()) yield remotePath;
}

/** Returns true if a synced file is at the path, also if the trees leave the file out. */
export function hasFileAt({ local, leftOut = NOTHING_LEFT_OUT }: Trees, path: LocalPath): boolean {
  return local.files.has(path) || leftOut.idAt(path) !== null;
}

export function includeDocuments(trees: Trees, ids: Iterable<DocId>): Trees {
  const { leftOut } = trees;
  if (leftOut === undefined) return trees;
  const recordsToInclude = new Map<DocId, DocumentRecord>();
  for (const id of ids) {
    const record = leftOut.record(id);
    if (record !== null) recordsToInclude.set(id, record);
  }
  if (recordsToInclude.size === 0) return trees;
  const records = [...recordsToInclude.values()];
  return {
    base: { ...trees.base, records: new Map([...trees.base.records, ...recordsToInclude]) },
    local: {
      ...trees.local,
      files: new Map([
        ...trees.local.files,
        ...records.map((record) => [record.localPath, toLocalFile(record)!] as const),
      ]),
    },
    remote: {
      ...trees.remote,
      files: new Map([...trees.remote.files, ...records.map((record) => [record.id, toRemoteFile(record)] as const)]),
    },
    leftOut: excludeFromLeftOut(leftOut, recordsToInclude),
  };
}

export function includeAllDocuments(trees: Trees): Trees {
  const { base, local, remote } = includeDocuments(
    trees,
    Array.from(trees.leftOut?.documents() ?? [], ({ id }) => id),
  );
  return { base, local, remote };
}

function excludeFromLeftOut(leftOut: LeftOut, taken: ReadonlyMap<DocId, DocumentRecord>): LeftOut {
  return {
    count: leftOut.count - taken.size,
    documents: function* () {
      for (const placed of leftOut.documents()) if (!taken.has(placed.id)) yield placed;
    },
    idAt: (path) => {
      const id = leftOut.idAt(path);
      return id === null || taken.has(id) ? null : id;
    },
    record: (id) => (taken.has(id) ? null : leftOut.record(id)),
  };
}

export function toRemoteFile({ id, remotePath: path, changeId, protected: isProtected }: DocumentRecord): RemoteFile {
  return { id, path, changeId, protected: isProtected };
}

/**
 * Returns the file that a scan would show if the file had not changed; null if the record has no
 * stamp.
 */
export function toLocalFile({
  localPath: path,
  stamp,
  stampTrusted,
  localDigest: digest,
}: DocumentRecord): LocalFile | null {
  if (stamp === null) return null;
  return { path, stamp, stampTrusted, digest, textFault: null, empty: stamp.size === 0 };
}
