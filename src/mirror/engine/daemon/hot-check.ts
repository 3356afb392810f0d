import type { DocId } from "../../../contract/ids.ts";
import type { FileResource, Selector } from "../../../contract/resources.ts";
import { digestOf } from "../../../contract/digest.ts";
import { remoteIsAsBase } from "../../model/agreement.ts";
import type { Placed } from "../../model/link.ts";
import { ancestorsOf, type LocalPath, parentOf } from "../../../contract/path.ts";
import type { RemoteFile } from "../../model/tree.ts";
import type { Listing } from "../../ports/remote.ts";
import type { State } from "../../ports/state.ts";
import { documentsOf } from "../observe/listed.ts";
import { isWholeServiceFault } from "../observe/prove-absences.ts";
import { toService, type World } from "../run/world.ts";
import type { HotPlace, Place } from "./hot-places.ts";

/**
 * Lists the places where somebody works. Such a listing does not prove an absence: a missing
 * document may have been moved, and only a listing of everything can tell.
 */

export type HotPlaceCheck = {
  /** Documents that differ from base and were not shown like this before. */
  readonly files: readonly RemoteFile[];
  /**
   * True if a listing of everything is needed: a document of base was missing, or no answer came.
   */
  readonly needsAll: boolean;
};

/** Share of a page that a subtree may fill, so that it still fits on one page after some growth. */
const FILL = 0.9;
/** LIMIT: pages of a folder that is listed by itself. */
const MOST_PAGES = 8;
/** LIMIT: documents that are missing from a listing and are asked for by their paths. */
const MOST_ASKED = 4;

const NOTHING: HotPlaceCheck = { files: [], needsAll: false };

/**
 * Chooses the place to list when the document at this path changed: the largest folder above it
 * whose documents fit on a page, because work in a folder often continues in its neighbour; else
 * its own folder; else the document alone.
 * @param page number of documents that the service returns in a page
 */
export function choosePlace(state: State, path: LocalPath, page: number): Place | null {
  const fit = Math.floor(page * FILL);
  for (const folder of ancestorsOf(path))
    if (state.dirAt(folder) !== null && state.documentsIn(folder, "all", fit + 1).length <= fit)
      return { kind: "subtree", path: folder };
  const parent = parentOf(path);
  const most = MOST_PAGES * page;
  if (parent !== "" && state.dirAt(parent) !== null && state.documentsIn(parent, "one", most + 1).length <= most)
    return { kind: "folder", path: parent };
  const [link, ...more] = state.linksAt(path);
  return link === undefined || more.length > 0 ? null : { kind: "document", path, id: link.id };
}

/**
 * @param page number of documents that the service returns in a page
 * @returns null if base does not have the place any more
 */
export async function checkHotPlace(world: World, hot: HotPlace, page: number): Promise<HotPlaceCheck | null> {
  const asked = selectorOf(world, hot.place);
  if (asked === null) return null;
  const listing = await world.remote.listFiles(asked);
  if (!listing.complete) return { files: [], needsAll: concernsAll(listing) };
  const shown = documentsOf(world, listing);
  hot.cost = Math.max(1, Math.ceil(shown.size / page));
  const digest = listingDigest(shown);
  if (digest === hot.shown) return NOTHING;
  const missing = membersOf(world.state, hot.place).filter(({ id }) => !shown.has(id));
  const news = missing.filter(({ id }) => !hot.absent.has(id));
  const found = await askFor(world, news);
  const [files, odd] = sortOut(world.state, new Map([...shown, ...found]), hot.odd);
  hot.shown = digest;
  hot.odd = odd;
  hot.absent = new Set(missing.filter(({ id }) => !found.has(id)).map(({ id }) => id));
  return { files, needsAll: news.length > found.size };
}

function concernsAll({ fault }: Listing<FileResource>): boolean {
  return fault !== null && isWholeServiceFault(fault);
}

function selectorOf(world: World, place: Place): Selector | null {
  const { state } = world;
  if (place.kind === "document") {
    const link = state.link(place.id);
    return link === null ? null : { kind: "path", path: toService(world, link.remotePath) };
  }
  const dir = state.dirAt(place.path);
  if (dir === null) return null;
  if (place.kind === "folder") return { kind: "parent-id", parentId: dir.id };
  return { kind: "path-prefix", pathPrefix: toService(world, dir.remotePath) };
}

/** Returns the documents of base that a listing of the place must show. */
function membersOf(state: State, place: Place): readonly Placed[] {
  if (place.kind === "document") {
    const link = state.link(place.id);
    return link === null ? [] : [link];
  }
  const remote = state.dirAt(place.path)?.remotePath;
  const depth = place.kind === "subtree" ? "all" : "one";
  // A document whose path on the service is not the one in base need not be in the listing.
  return state
    .documentsIn(place.path, depth, Number.MAX_SAFE_INTEGER)
    .filter(({ localPath, remotePath }) => remote !== undefined && isUnder(remote, remotePath, place, localPath));
}

function isUnder(folder: string, remotePath: string, place: Place, localPath: LocalPath): boolean {
  if (place.kind === "folder") return parentOf(remotePath) === folder && parentOf(localPath) === place.path;
  return remotePath.startsWith(`${folder}/`);
}

/**
 * Asks by path for documents that a listing did not show: a listing that is read while others write
 * may leave one out.
 */
async function askFor(world: World, missing: readonly Placed[]): Promise<Map<DocId, RemoteFile>> {
  const found = new Map<DocId, RemoteFile>();
  if (missing.length > MOST_ASKED) return found;
  const asked = missing.map(async ({ id, remotePath }) => {
    const listing = await world.remote.listFiles({ kind: "path", path: toService(world, remotePath) });
    const file = documentsOf(world, listing).get(id);
    if (file !== undefined) found.set(id, file);
  });
  await Promise.all(asked);
  return found;
}

/**
 * Returns the documents that differ from base: all of them, and those that are new since the last
 * look.
 */
function sortOut(
  state: State,
  shown: ReadonlyMap<DocId, RemoteFile>,
  before: HotPlace["odd"],
): readonly [readonly RemoteFile[], HotPlace["odd"]] {
  const files: RemoteFile[] = [];
  const odd = new Map<DocId, string>();
  for (const file of shown.values()) {
    const link = state.link(file.id);
    if (link !== null && remoteIsAsBase(link, file)) continue;
    // A stale listing shows a version that is known to be earlier than base's.
    if (link !== null && state.isEarlier(file.id, file.changeId, link.changeId)) continue;
    const mark = `${file.changeId} ${file.protected ? "p" : "-"} ${file.path}`;
    if (before.get(file.id) !== mark) files.push(file);
    odd.set(file.id, mark);
  }
  return [files, odd];
}

/**
 * Returns the digest of a listing. Two listings with the same documents in the same order have the
 * same digest.
 */
function listingDigest(files: ReadonlyMap<DocId, RemoteFile>): string {
  const lines: string[] = [];
  for (const { id, path, changeId, protected: isProtected } of files.values())
    lines.push(`${id} ${changeId} ${isProtected ? "p" : "-"} ${path}`);
  return digestOf(lines.join("\n"));
}
