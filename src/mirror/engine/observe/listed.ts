import type { DocId } from "../../../contract/ids.ts";
import type { FileResource } from "../../../contract/resources.ts";
import type { Listing, Taken } from "../../ports/remote.ts";
import type { Records } from "../../model/records.ts";
import type { RemoteFile } from "../../model/tree.ts";
import { fromService, type World } from "../run/world.ts";

/** Lists the documents of the linked subtree. The listing may be incomplete. */
export function listDocuments(world: World, taken?: Taken<FileResource>): Promise<Listing<FileResource>> {
  const { remote, prefix } = world;
  return remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => world.progress.report("list", seen, null),
    taken,
  );
}

/** Takes out of a listing the documents that the service has as they are recorded. */
export function asRecorded(world: World, records: Records): Taken<FileResource> {
  return {
    begin: () => records.beginList(),
    take: ({ id, path: whole, lastChangeId: changeId, protected: isProtected }) => {
      const path = fromService(world, whole);
      return path === null ? "left" : records.takeListed({ id, path, changeId, protected: isProtected });
    },
  };
}

/** Returns the listed documents by id, at their paths below the linked subtree. */
export function documentsOf(world: World, { items }: Listing<FileResource>): Map<DocId, RemoteFile> {
  const seen = new Map<DocId, RemoteFile>();
  for (const { id, path: whole, lastChangeId: changeId, protected: isProtected } of items) {
    const path = fromService(world, whole);
    if (path !== null && path !== "") seen.set(id, { id, path, changeId, protected: isProtected });
  }
  return seen;
}
