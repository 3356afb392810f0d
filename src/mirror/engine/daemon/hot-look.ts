import type { DocId } from "../../../contract/ids.ts";
import type { FileResource, Selector } from "../../../contract/resources.ts";
import { digestOf } from "../../../contract/digest.ts";
import { agreesThere } from "../../model/agreement.ts";
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
 * Looks at the places where somebody works, each by a list of its own. Such a list proves nothing
 * of what it does not show: a document that is missing may have been moved, and only a look at
 * everything can tell.
 */

export type HotLook = {
  /** Documents that are not as base has them, and were not shown so before. */
  readonly files: readonly RemoteFile[];
  /**
   * Whether only a look at everything can tell: a document of base was not there, or no answer
   * came.
   */
  readonly needsAll: boolean;
};

/** How much of a page a subtree may fill, so that it stays one page for a while. */
const FILL = 0.9;
/** LIMIT: pages of a folder that is asked for by itself. */
const MOST_PAGES = 8;
/** LIMIT: documents that are missing from a list and asked for by their paths. */
const MOST_ASKED = 4;

const NOTHING: HotLook = { files: [], needsAll: false };

/**
 * The place to ask for when the document at this path changed: the largest folder above it whose
 * documents fit on a page, because who works in one folder soon works in the next; else its own
 * folder; else the document alone.
 * @param page how many documents the service shows on a page
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
 * @param page how many documents the service shows on a page
 * @returns null where base does not have the place any more
 */
export async function lookAtPlace(world: World, hot: HotPlace, page: number): Promise<HotLook | null> {
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

/** The documents of base that a list of the place must show. */
function membersOf(state: State, place: Place): readonly Placed[] {
  if (place.kind === "document") {
    const link = state.link(place.id);
    return link === null ? [] : [link];
  }
  const remote = state.dirAt(place.path)?.remotePath;
  const depth = place.kind === "subtree" ? "all" : "one";
  // Of one that is held at another path on the service, the list says nothing.
  return state
    .documentsIn(place.path, depth, Number.MAX_SAFE_INTEGER)
    .filter(({ localPath, remotePath }) => remote !== undefined && isUnder(remote, remotePath, place, localPath));
}

function isUnder(folder: string, remotePath: string, place: Place, localPath: LocalPath): boolean {
  if (place.kind === "folder") return parentOf(remotePath) === folder && parentOf(localPath) === place.path;
  return remotePath.startsWith(`${folder}/`);
}

/**
 * Asks for documents that a list did not show, each at its path: a list that is made while others
 * write may leave one out.
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

/** What is not as base has it: what of it is news, and all of it. */
function sortOut(
  state: State,
  shown: ReadonlyMap<DocId, RemoteFile>,
  before: HotPlace["odd"],
): readonly [readonly RemoteFile[], HotPlace["odd"]] {
  const files: RemoteFile[] = [];
  const odd = new Map<DocId, string>();
  for (const file of shown.values()) {
    const link = state.link(file.id);
    if (link !== null && agreesThere(link, file)) continue;
    // A list that lags behind shows a version that we know to be an earlier one.
    if (link !== null && state.isEarlier(file.id, file.changeId, link.changeId)) continue;
    const mark = `${file.changeId} ${file.protected ? "p" : "-"} ${file.path}`;
    if (before.get(file.id) !== mark) files.push(file);
    odd.set(file.id, mark);
  }
  return [files, odd];
}

/** Returns the digest of a listing: equal when the documents and their order are. */
function listingDigest(files: ReadonlyMap<DocId, RemoteFile>): string {
  const lines: string[] = [];
  for (const { id, path, changeId, protected: isProtected } of files.values())
    lines.push(`${id} ${changeId} ${isProtected ? "p" : "-"} ${path}`);
  return digestOf(lines.join("\n"));
}
