import type { DocId } from "../contract/ids.ts";
import type { FileResource } from "../contract/resources.ts";
import { BorrowedMap } from "../core/borrowed-map.ts";
import type { Listing, Recognise } from "../core/ports/remote.ts";
import type { BaseTree, RemoteFile } from "../core/tree.ts";
import { fromService, type World } from "./world.ts";

/** What a listing shows, in the terms of base: most of it is just what the links have, and nothing is kept of that. */

/** The documents of the mirrored subtree, to the end of the list or not. */
export function listDocuments(world: World, recognise?: Recognise): Promise<Listing<FileResource>> {
  const { remote, prefix } = world;
  return remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => world.progress.report("list", seen, null),
    recognise,
  );
}

/** By base: what is listed as its link has it. */
export function recogniseBy({ prefix }: World, links: BaseTree["links"]): Recognise {
  // A link's path is below the mirrored subtree, a listed one of the workspace.
  const lead = prefix === "" ? 0 : prefix.length + 1;
  return (id, path, changeId, isProtected) => {
    const link = links.get(id as DocId);
    if (link === undefined || link.changeId !== changeId || link.protected !== isProtected) return null;
    const { remotePath } = link;
    const alike =
      lead === 0
        ? path === remotePath
        : path.length === lead + remotePath.length && path.endsWith(remotePath) && path.startsWith(`${prefix}/`);
    return alike ? link.id : null;
  };
}

/** A listing's documents by id, at their paths below the mirrored subtree; without those that were recognised. */
export function documentsOf(
  world: World,
  listing: Listing<FileResource>,
  links: BaseTree["links"] = new Map(),
): Map<DocId, RemoteFile> {
  const seen = new Map<DocId, RemoteFile>();
  for (const item of listing.items) {
    const path = fromService(world, item.path);
    if (path === null || path === "") continue;
    // The link's own strings where they are equal: those of the listing can go.
    const link = links.get(item.id);
    const id = link?.id ?? item.id;
    const changeId = link?.changeId === item.lastChangeId ? link.changeId : item.lastChangeId;
    seen.set(id, { id, path: link?.remotePath === path ? link.remotePath : path, changeId, protected: item.protected });
  }
  return seen;
}

/** All that a listing shows: what was recognised, as the links have it, and its own. */
export function withRecognised(
  links: BaseTree["links"],
  { same }: Listing<FileResource>,
  own: Map<DocId, RemoteFile>,
): ReadonlyMap<DocId, RemoteFile> {
  if (same === undefined || same.size === 0) return own;
  const lend = (known: DocId): RemoteFile => {
    const { id, remotePath: path, changeId, protected: isProtected } = links.get(known)!;
    return { id, path, changeId, protected: isProtected };
  };
  return new BorrowedMap(links, { size: same.size, keys: () => same as ReadonlySet<DocId> }, lend, own);
}
