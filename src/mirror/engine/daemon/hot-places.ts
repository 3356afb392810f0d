import type { Action } from "../../model/action.ts";
import { ancestorsOf, isBelow, type LocalPath, parentOf } from "../../../contract/path.ts";
import type { RemoteFile } from "../../model/tree.ts";
import type { CycleEnd } from "../run/cycle-context.ts";
import { toService, type World } from "../run/world.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { KnownTrees } from "./known-trees.ts";
import type { RequestBudget } from "./request-budget.ts";
import type { DaemonTiming } from "./interface.ts";
import type { Selector } from "../../../contract/resources.ts";
import type { DocumentPaths } from "../../model/record.ts";
import type { State } from "../../ports/state.ts";
import { isWholeServiceFault, toRemoteFiles } from "../observe/documents.ts";

/**
 * A part of the workspace that mdmirror lists separately and often.
 * - `subtree`: a folder with everything below it, if all its documents fit on one page of a
 *   listing.
 * - `folder`: the documents directly in a folder.
 * - `document`: a single document in a folder with too many documents, or in the root, which the
 *   API cannot list separately.
 */
type WorkspacePart =
  | { readonly kind: "subtree" | "folder"; readonly path: LocalPath }
  | { readonly kind: "document"; readonly path: LocalPath; readonly id: DocId };

/**
 * A part of the workspace in which somebody works, locally or on the service. Times are monotonic.
 */
type HotPlace = {
  readonly place: WorkspacePart;
  /** Time of the last change of a document in this part of the workspace. */
  changedAt: number;
  nextAt: number;
  /** Number of requests for one listing of this part of the workspace. */
  cost: number;
};

/**
 * LIMIT: number of steps up to which the documents of a run make places hot. A run with more steps
 * is a bulk change, which does not show where somebody works.
 */
const MAX_STEPS = 200;
/**
 * LIMIT: number of hot places that one run adds, because mdmirror reads all records to choose a hot
 * place.
 */
const MAX_NEW_PLACES = 4;
/** LIMIT: number of hot places, because the listings of all hot places share one request budget. */
const MAX_PLACES = 16;
/**
 * Share of the request budget for all hot places. Listings of the whole workspace use the other
 * part.
 */
const PLACES_SHARE = 0.7;
/**
 * Divisor for the interval between listings of a hot place. The dividend is the time since the last
 * change in this place.
 */
const COOLING_DIVISOR = 30;
/**
 * Milliseconds by which a listing may be early, so that several places are listed at the same time.
 */
const GROUPING_MS = 250;

/** Keeps the parts of the workspace in which somebody works (hot places), and lists them often. */
export class HotPlaces {
  readonly #world: World;
  readonly #budget: RequestBudget;
  readonly #knownTrees: KnownTrees;
  readonly #leastMs: number;
  /** Longest interval. A hot place with this interval is no longer listed separately. */
  readonly #mostMs: number;
  #places: readonly HotPlace[] = [];

  constructor(world: World, knownTrees: KnownTrees, budget: RequestBudget, { pollActiveMs, hotMostMs }: DaemonTiming) {
    this.#world = world;
    this.#knownTrees = knownTrees;
    this.#budget = budget;
    this.#leastMs = pollActiveMs;
    this.#mostMs = hotMostMs;
  }

  noteRun(end: CycleEnd, now: number): void {
    if (end.kind === "offline" || end.ends.length > MAX_STEPS) return;
    let chosenCount = 0;
    const steps = end.plan.steps.filter((_, index) => end.ends[index]?.kind === "ran");
    for (const path of steps.flatMap(({ action }) => findActivePaths(action))) {
      if (this.#markActive(path, now) || ++chosenCount > MAX_NEW_PLACES) continue;
      const place = choosePlace(this.#world.state, path, this.#pageSize());
      if (place !== null) this.#add({ place, changedAt: now, nextAt: now + this.#leastMs, cost: 1 });
    }
  }

  /** @returns false if no hot place contains the path */
  #markActive(path: LocalPath, now: number): boolean {
    const knownPlace = this.#places.find(({ place }) => containsPath(place, path));
    if (knownPlace === undefined) return false;
    knownPlace.changedAt = now;
    knownPlace.nextAt = Math.min(knownPlace.nextAt, now + this.#leastMs);
    return true;
  }

  #add(place: HotPlace): void {
    this.#places = [...this.#places, place];
    if (this.#places.length > MAX_PLACES)
      this.#drop(this.#places.reduce((a, b) => (b.changedAt < a.changedAt ? b : a)));
  }

  #drop(place: HotPlace): void {
    this.#places = this.#places.filter((other) => other !== place);
  }

  /** Returns the time of the next listing of a hot place; null if there is no hot place. */
  dueAt(): number | null {
    return this.#places.reduce<number | null>((least, { nextAt }) => Math.min(least ?? nextAt, nextAt), null);
  }

  /** Lists the due places in parallel, and schedules their next listings. */
  async listDuePlaces(now: number): Promise<HotPlaceCheck> {
    this.#places = this.#places.filter((place) => this.#interval(place, now) < this.#mostMs);
    let wantedRequests = 0;
    for (const place of this.#places) wantedRequests += (place.cost * 60_000) / this.#interval(place, now);
    const slowdown = Math.max(1, wantedRequests / (PLACES_SHARE * this.#budget.requestsAMinute(now)));
    const duePlaces = this.#places.filter(({ nextAt }) => nextAt <= now + GROUPING_MS);
    for (const place of duePlaces) place.nextAt = now + this.#interval(place, now) * slowdown;
    const checks = await Promise.all(duePlaces.map((hot) => this.#check(hot)));
    return { files: checks.flatMap(({ files }) => files), needsAll: checks.some(({ needsAll }) => needsAll) };
  }

  #interval({ changedAt }: HotPlace, now: number): number {
    return Math.max(this.#leastMs, (now - changedAt) / COOLING_DIVISOR);
  }

  async #check(hot: HotPlace): Promise<HotPlaceCheck> {
    const selector = toSelector(this.#world, hot.place);
    const listing = selector === null ? null : await this.#world.remote.listFiles(selector);
    if (selector === null || listing?.complete !== true) {
      if (selector === null) this.#drop(hot);
      return { files: [], needsAll: listing?.fault != null && isWholeServiceFault(listing.fault) };
    }
    const listedDocuments = toRemoteFiles(this.#world, listing);
    hot.cost = Math.max(1, Math.ceil(listedDocuments.size / this.#pageSize()));
    const knownTrees = this.#knownTrees;
    const needsAll = findDocumentsIn(this.#world.state, hot.place).some(
      (placed) => !listedDocuments.has(placed.id) && knownTrees.isInPlace(placed),
    );
    // A document is no longer in this part of the workspace. Only a listing of the whole workspace
    // shows why.
    if (needsAll) this.#drop(hot);
    return { files: [...listedDocuments.values()].filter((file) => knownTrees.isChanged(file)), needsAll };
  }

  #pageSize(): number {
    return this.#budget.pageSize(this.#knownTrees.documentCount());
  }
}

function containsPath(place: WorkspacePart, path: LocalPath): boolean {
  if (place.kind === "document") return place.path === path;
  return place.kind === "subtree" ? isBelow(path, place.path) : parentOf(path) === place.path;
}

/**
 * Returns the local paths at which an action shows that somebody works. For a move, these are the
 * old and the new path.
 */
function findActivePaths(action: Action): readonly LocalPath[] {
  if (action.kind === "move-local" || action.kind === "move-folder-local") return [action.from, action.to];
  if ("localPath" in action) return [action.localPath];
  return "lastLocalPath" in action ? [action.lastLocalPath] : [];
}

/**
 * Result of listing hot places. Such a result proves no absence: only a listing of the whole
 * workspace does.
 */
type HotPlaceCheck = {
  /** Documents that differ from the service's earlier listing. */
  readonly files: readonly RemoteFile[];
  /**
   * True if the whole workspace must be listed: a listing lacks a document of the hot place, or the
   * service cannot answer any request.
   */
  readonly needsAll: boolean;
};

/** Share of a page that the documents of a subtree may fill, so that new documents still fit. */
const MAX_PAGE_SHARE = 0.9;
/** LIMIT: number of pages of a folder that is listed separately, because each page is a request. */
const MAX_FOLDER_PAGES = 8;

/**
 * Chooses the hot place for a document that changed. The first rule that applies decides:
 * - The highest folder above the document whose documents fit on one page, because work in a folder
 *   often continues nearby.
 * - The folder that contains the document.
 * - The document alone.
 * @param page number of documents on a page of a listing
 * @returns null if base does not have exactly one document at the path
 */
function choosePlace(state: State, path: LocalPath, page: number): WorkspacePart | null {
  const maxOnPage = Math.floor(page * MAX_PAGE_SHARE);
  for (const folder of ancestorsOf(path))
    if (state.dirAt(folder) !== null && state.documentsIn(folder, "all", maxOnPage + 1).length <= maxOnPage)
      return { kind: "subtree", path: folder };
  const parent = parentOf(path);
  const maxDocuments = MAX_FOLDER_PAGES * page;
  if (
    parent !== "" &&
    state.dirAt(parent) !== null &&
    state.documentsIn(parent, "one", maxDocuments + 1).length <= maxDocuments
  )
    return { kind: "folder", path: parent };
  const [record, ...more] = state.recordsAt(path);
  return record === undefined || more.length > 0 ? null : { kind: "document", path, id: record.id };
}

/** Returns the request parameters that list a hot place; null if base no longer has that place. */
function toSelector(world: World, place: WorkspacePart): Selector | null {
  const { state } = world;
  if (place.kind === "document") {
    const record = state.record(place.id);
    return record === null ? null : { kind: "path", path: toService(world, record.remotePath) };
  }
  const dir = state.dirAt(place.path);
  if (dir === null) return null;
  if (place.kind === "folder") return { kind: "parent-id", parentId: dir.id };
  return { kind: "path-prefix", pathPrefix: toService(world, dir.remotePath) };
}

/** Returns the documents of base that a listing of the place contains if nothing was moved. */
function findDocumentsIn(state: State, place: WorkspacePart): readonly DocumentPaths[] {
  if (place.kind === "document") {
    const record = state.record(place.id);
    return record === null ? [] : [record];
  }
  const remoteFolder = state.dirAt(place.path)?.remotePath;
  const depth = place.kind === "subtree" ? "all" : "one";
  // Leaves out documents whose local and remote paths do not correspond, because such a document
  // may be at another place on the service.
  return state
    .documentsIn(place.path, depth, Number.MAX_SAFE_INTEGER)
    .filter(
      ({ localPath, remotePath }) => remoteFolder !== undefined && isUnder(remoteFolder, remotePath, place, localPath),
    );
}

function isUnder(folder: string, remotePath: string, place: WorkspacePart, localPath: LocalPath): boolean {
  if (place.kind === "folder") return parentOf(remotePath) === folder && parentOf(localPath) === place.path;
  return remotePath.startsWith(`${folder}/`);
}
