import type { DocId } from "../../../contract/ids.ts";
import type { FileResource } from "../../../contract/resources.ts";
import type { Listing, OnListed } from "../../ports/remote.ts";
import type { BaseTree, RemoteFile } from "../../model/tree.ts";
import { fromService, type World } from "../run/world.ts";

/** Lists the documents of the linked subtree. The listing may be incomplete. */
export function listDocuments(world: World, onListed?: OnListed): Promise<Listing<FileResource>> {
  const { remote, prefix } = world;
  return remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => world.progress.report("list", seen, null),
    onListed,
  );
}

/**
 * Returns a function that replaces strings of a listing by equal ones of a record. The listing's
 * own can then be freed page by page.
 */
export function inStringsOf(links: BaseTree["links"]): OnListed {
  return (file) => {
    const link = links.get(file.id);
    if (link === undefined) return file;
    const path = link.remotePath === file.path ? link.remotePath : file.path;
    const lastChangeId = link.changeId === file.lastChangeId ? link.changeId : file.lastChangeId;
    return { id: link.id, path, lastChangeId, protected: file.protected };
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
