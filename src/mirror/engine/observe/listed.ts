import type { DocId } from "../../../contract/ids.ts";
import type { FileResource } from "../../../contract/resources.ts";
import type { Listing } from "../../ports/remote.ts";
import type { RecordColumns } from "../../model/left-out.ts";
import type { RemoteFile } from "../../model/tree.ts";
import { fromServicePath, type World } from "../run/world.ts";

/** Documents of the linked part of the workspace, with paths relative to that part. */
export type DocumentList = Pick<Listing<FileResource>, "complete" | "fault"> & {
  /** Listed documents. Leaves out documents that match their records in `columns`. */
  readonly files: Map<DocId, RemoteFile>;
  /** True if the listing contains no document at all. */
  readonly isEmpty: boolean;
};

/** @param columns receives the documents that match their records */
export async function listDocuments(world: World, columns?: RecordColumns): Promise<DocumentList> {
  const { remote, prefix, progress } = world;
  const earlierFiles = new Map<DocId, RemoteFile>();
  const files = new Map<DocId, RemoteFile>();
  const outsideIds = new Set<DocId>();
  let count = 0;
  const receive = (item: FileResource): boolean => {
    const file = toRemoteFile(world, item);
    const result = file === null ? "left" : (columns?.markListed(file) ?? "left");
    const wasListed = files.delete(item.id) || outsideIds.delete(item.id) || result === "again";
    if (file === null) outsideIds.add(item.id);
    else if (result === "left") files.set(item.id, file);
    return !wasListed;
  };
  const beginAttempt = () => {
    for (const [id, file] of files) earlierFiles.set(id, file);
    files.clear();
    outsideIds.clear();
    columns?.beginList();
  };
  const { complete, fault } = await remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => {
      count = seen;
      progress.report("list", seen, null);
    },
    { begin: beginAttempt, receive },
  );
  // If no attempt listed everything, the result also contains the documents of earlier attempts.
  return { files: complete ? files : new Map([...earlierFiles, ...files]), complete, fault, isEmpty: count === 0 };
}

export function toRemoteFiles(world: World, { items }: Listing<FileResource>): Map<DocId, RemoteFile> {
  const files = items.map((item) => toRemoteFile(world, item)).filter((file) => file !== null);
  return new Map(files.map((file) => [file.id, file]));
}

/** Returns a document with its path in the linked folder; null if the document is outside. */
export function toRemoteFile(
  world: World,
  { id, path: fullPath, lastChangeId: changeId, protected: isProtected }: FileResource,
): RemoteFile | null {
  const path = fromServicePath(world, fullPath);
  return path === null || path === "" ? null : { id, path, changeId, protected: isProtected };
}
