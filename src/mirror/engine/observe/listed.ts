import type { DocId } from "../../../contract/ids.ts";
import type { FileResource } from "../../../contract/resources.ts";
import { type Borrowed, BorrowedMap } from "../../model/borrowed-map.ts";
import type { Link } from "../../model/link.ts";
import type { RemotePath } from "../../../contract/path.ts";
import type { Held, Listing } from "../../ports/remote.ts";
import type { BaseTree, RemoteFile } from "../../model/tree.ts";
import { fromService, type World } from "../run/world.ts";

/**
 * Compares a listing with base. Most items are just as their links have them, and no copy of those
 * is kept.
 */

/** The documents of the mirrored subtree, to the end of the list or not. */
export function listDocuments(world: World, held?: Held): Promise<Listing<FileResource>> {
  const { remote, prefix } = world;
  return remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => world.progress.report("list", seen, null),
    held,
  );
}

/**
 * Recognises items that are listed just as their links have them. Services list in order of
 * creation, and base has most links in the order in which they were made, so one search mostly
 * finds the next one at once.
 */
export class HeldLinks implements Held {
  readonly #all: readonly Link[];
  /** Position of each document in `#all`, by its id. */
  readonly #positions: ReadonlyMap<string, number>;
  readonly #prefix: RemotePath;
  /** How many characters of a listed path lie above the mirrored subtree: links leave them out. */
  readonly #lead: number;
  readonly count: number;

  constructor({ prefix }: World, links: BaseTree["links"]) {
    this.#all = [...links.values()];
    this.#positions = new Map(this.#all.map(({ id }, at) => [id, at]));
    this.#prefix = prefix;
    this.#lead = prefix === "" ? 0 : prefix.length + 1;
    this.count = this.#all.length;
  }

  find(id: unknown): number {
    return typeof id === "string" ? (this.#positions.get(id) ?? -1) : -1;
  }

  shows(at: number, path: RemotePath, changeId: unknown, isProtected: unknown): boolean {
    const { remotePath, changeId: known, protected: wasProtected } = this.#all[at]!;
    if (known !== changeId || wasProtected !== isProtected) return false;
    const lead = this.#lead;
    if (lead === 0) return path === remotePath;
    return path.length === lead + remotePath.length && path.endsWith(remotePath) && path.startsWith(`${this.#prefix}/`);
  }

  idAt(at: number): string {
    return this.#all[at]!.id;
  }
}

/**
 * The listed documents by id, at their paths below the mirrored subtree; without those that were
 * recognised.
 */
export function documentsOf(
  world: World,
  listing: Listing<FileResource>,
  links: BaseTree["links"] = new Map(),
): Map<DocId, RemoteFile> {
  const seen = new Map<DocId, RemoteFile>();
  for (const item of listing.items) {
    const path = fromService(world, item.path);
    if (path === null || path === "") continue;
    // Where the strings are equal the link's are used, so that those of the listing can be
    // freed.
    const link = links.get(item.id);
    const id = link?.id ?? item.id;
    const changeId = link?.changeId === item.lastChangeId ? link.changeId : item.lastChangeId;
    seen.set(id, { id, path: link?.remotePath === path ? link.remotePath : path, changeId, protected: item.protected });
  }
  return seen;
}

/**
 * All documents of a listing: those that were recognised, as their links have them, and the others.
 */
export function withRecognised(
  links: BaseTree["links"],
  { same }: Listing<FileResource>,
  own: Map<DocId, RemoteFile>,
): ReadonlyMap<DocId, RemoteFile> {
  if (same === undefined || same.size === 0) return own;
  return new BorrowedMap(links, same as Borrowed<DocId>, (id) => asListed(links.get(id)!), own);
}

function asListed({ id, remotePath: path, changeId, protected: isProtected }: Link): RemoteFile {
  return { id, path, changeId, protected: isProtected };
}
