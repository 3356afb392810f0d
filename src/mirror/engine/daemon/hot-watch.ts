import type { Action } from "../../model/action.ts";
import { ancestorsOf, type LocalPath, parentOf } from "../../../contract/path.ts";
import type { RemoteFile } from "../../model/tree.ts";
import type { PassEnd } from "../run/pass-context.ts";
import { toService, type World } from "../run/world.ts";
import { type HotPlace, HotPlaces, type Place } from "./hot-places.ts";
import type { RequestBudget } from "./request-budget.ts";
import type { DaemonTiming } from "./timing.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { FileResource, Selector } from "../../../contract/resources.ts";
import { digestOf } from "../../../contract/digest.ts";
import { remoteIsAsBase } from "../../model/agreement.ts";
import type { Placed } from "../../model/link.ts";
import type { Listing } from "../../ports/remote.ts";
import type { State } from "../../ports/state.ts";
import { documentsOf } from "../observe/listed.ts";
import { isWholeServiceFault } from "../observe/prove-absences.ts";

/** LIMIT: steps of a run that still show where somebody works; more are a bulk change. */
const MOST_STEPS = 200;
/** LIMIT: new places per run, because choosing one reads every link. */
const MOST_CHOSEN = 4;

/** Keeps the places where somebody works, and looks at them. */
export class HotWatch {
  readonly #world: World;
  readonly #budget: RequestBudget;
  readonly #places: HotPlaces;

  constructor(world: World, budget: RequestBudget, { pollActiveMs, hotMostMs }: DaemonTiming) {
    this.#world = world;
    this.#budget = budget;
    this.#places = new HotPlaces(pollActiveMs, hotMostMs);
  }

  /** @param documents number of documents in the workspace */
  noteRun(end: PassEnd, documents: number, now: number): void {
    if (end.kind === "offline" || end.ends.length > MOST_STEPS) return;
    let chosen = 0;
    const choose = (path: LocalPath) => {
      chosen++;
      return chosen > MOST_CHOSEN ? null : choosePlace(this.#world.state, path, this.#budget.pageSize(documents));
    };
    for (const [index, { action }] of end.plan.steps.entries())
      if (end.ends[index]?.kind === "ran")
        for (const path of pathsOf(action)) this.#places.heat(path, now, () => choose(path));
  }

  dueAt(): number | null {
    return this.#places.dueAt();
  }

  /** Looks at the places that are due, in parallel. */
  async look(documents: number, now: number): Promise<HotPlaceCheck> {
    const due = this.#places.take(now, this.#budget.aMinute(now));
    const page = this.#budget.pageSize(documents);
    const looks = await Promise.all(due.map((hot) => checkHotPlace(this.#world, hot, page)));
    const files = new Map<string, RemoteFile>();
    for (const [index, look] of looks.entries()) {
      if (look === null) this.#places.drop(due[index]!);
      for (const file of look?.files ?? []) files.set(file.id, file);
    }
    return { files: [...files.values()], needsAll: looks.some((look) => look?.needsAll === true) };
  }
}

/** Returns the local paths at which an action shows that somebody works; of a move, both. */
function pathsOf(action: Action): readonly LocalPath[] {
  if (action.kind === "move-local" || action.kind === "move-folder-local") return [action.from, action.to];
  if ("localPath" in action) return [action.localPath];
  return "stands" in action ? [action.stands] : [];
}

/**
 * Lists the places where somebody works. Such a listing proves no absence: a missing document may
 * have been moved, which only a listing of everything shows.
 */

type HotPlaceCheck = {
  /** Documents that differ from base and were not judged in this state before. */
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
function choosePlace(state: State, path: LocalPath, page: number): Place | null {
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
async function checkHotPlace(world: World, hot: HotPlace, page: number): Promise<HotPlaceCheck | null> {
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
 * listing.
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
