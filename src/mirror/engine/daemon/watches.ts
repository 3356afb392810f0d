import { isConflictCopyName, type LocalPath, nameOf, type RemotePath } from "../../../contract/path.ts";
import { isRuleFile } from "../../model/mirror-folder.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { fromServicePath, toService, type World } from "../run/world.ts";
import type { LocalTree, RemoteFile } from "../../model/tree.ts";
import type { Watcher, WatchHint } from "../../ports/disk.ts";
import type { DaemonStatus } from "./interface.ts";
import type { EventHint, EventListener, EventStreamState, RemoteEvents } from "../../ports/remote.ts";
import type { DaemonRuns } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isRemoteAsBase } from "../../model/base.ts";
import { toRemoteFiles } from "../observe/documents.ts";
import type { FileHint } from "./remote-hints.ts";

export interface WatchListener {
  /**
   * Called if the item at a path may have changed.
   * @param whole true if everything below the path must be scanned
   */
  onHint(path: LocalPath, whole: boolean): void;
  /** Called at most once, when the system allows no more watches. */
  onLimit(limit: { readonly code: string; readonly why: string }): void;
}

/**
 * Runs the watcher of the linked folder. Restarts the watcher after the ignore rules changed, or
 * after the folder was missing. If the system allows no more watches, no watcher runs, and each
 * poll scans the folder. Also checks that the linked folder is still at its path, because the disk
 * of the folder may be unmounted.
 */
export class FolderWatch {
  readonly #world: World;
  readonly #watcher: Watcher;
  readonly #listener: WatchListener;
  #state: DaemonStatus["watching"] = "starting";
  #limit: DaemonStatus["limit"] = null;
  #rulesChanged = false;
  #isAway = false;
  /**
   * True if the watcher must restart because the folder was missing: a watch belongs to an inode.
   */
  #isOutdated = false;
  readonly #lastLocal: () => LocalTree | null;

  /** @param lastLocal returns the ignore rules of the last scan; null before the first scan */
  constructor(world: World, watcher: Watcher, listener: WatchListener, lastLocal: () => LocalTree | null) {
    this.#world = world;
    this.#watcher = watcher;
    this.#listener = listener;
    this.#lastLocal = lastLocal;
  }

  state(): DaemonStatus["watching"] {
    return this.#state;
  }

  limit(): DaemonStatus["limit"] {
    return this.#limit;
  }

  isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Checks whether the linked folder is at its path.
   * @returns `lost` or `back` if the result has changed since the last check; otherwise `away` or
   * `there`
   */
  checkFolder(): "there" | "away" | "lost" | "back" {
    const { root } = checkRoot(this.#world);
    const isAway = root !== "same" && root !== "moved-or-copied";
    if (isAway === this.#isAway) return isAway ? "away" : "there";
    this.#isAway = isAway;
    this.#isOutdated = true;
    return isAway ? "lost" : "back";
  }

  /** Starts the watcher, unless the folder is missing or the system allows no more watches. */
  async ensure(): Promise<void> {
    if (this.#isAway) return;
    if (this.#isOutdated) await this.close();
    this.#isOutdated = false;
    if (this.#state === "polling" || (this.#state === "events" && !this.#rulesChanged)) return;
    this.#rulesChanged = false;
    await this.#watcher.start(
      (path, kind) => this.#isIgnored(path, kind),
      (hint) => this.#take(hint),
    );
    if (this.#limit === null) this.#state = "events";
    // Changes between the last scan and the start of the watcher caused no event, so everything is
    // scanned.
    this.#listener.onHint("", true);
  }

  async close(): Promise<void> {
    if (this.#state === "events") this.#state = "starting";
    await this.#watcher.close();
  }

  #take(hint: WatchHint): void {
    if (hint.kind === "path") this.#takePath(hint.path);
    else if (hint.kind === "overflow") this.#listener.onHint("", true);
    else if (hint.kind === "limit") this.#takeLimit(hint);
    else if (!this.#isIgnored(hint.path, "folder")) this.#listener.onHint(hint.path, true);
  }

  #takePath(path: LocalPath): void {
    if (isRuleFile(nameOf(path))) {
      this.#rulesChanged = true;
      this.#listener.onHint("", true);
    } else if (!this.#isIrrelevant(path)) this.#listener.onHint(path, false);
  }

  #takeLimit({ code, why }: Extract<WatchHint, { kind: "limit" }>): void {
    if (this.#limit !== null) return;
    this.#state = "polling";
    this.#limit = { code, why };
    this.#listener.onLimit(this.#limit);
    this.#listener.onHint("", true);
  }

  /**
   * Returns true if the daemon can ignore a change at a path. A change of a conflict copy always
   * matters, although the ignore rules exclude the copy: a user who removes the copy ends the
   * conflict.
   */
  #isIrrelevant(path: LocalPath): boolean {
    if (path === ".mdmirror" || path.startsWith(".mdmirror/")) return true;
    return this.#isIgnored(path, "file") && !isConflictCopyName(nameOf(path));
  }

  #isIgnored(path: LocalPath, kind: "file" | "folder"): boolean {
    return this.#lastLocal()?.ignores(path, kind) ?? false;
  }
}

type EventWatchParts = {
  readonly world: World;
  /** Event stream of the service; null if the daemon does not use one. */
  readonly events: RemoteEvents | null;
  readonly runs: Pick<DaemonRuns, "hints" | "knownTrees">;
  readonly schedule: Pick<Schedule, "noteListening" | "pollAt">;
  readonly wakeBy: (time: number) => void;
};

export class EventWatch implements EventListener {
  readonly #parts: EventWatchParts;
  #state: EventStreamState = { kind: "off" };

  constructor(parts: EventWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.events?.start(this);
  }

  async close(): Promise<void> {
    await this.#parts.events?.close();
    this.#state = { kind: "off" };
  }

  state(): EventStreamState {
    return this.#state;
  }

  onHint(hint: EventHint): void {
    const { runs, wakeBy } = this.#parts;
    const isFirst = runs.hints.dueAt() === null;
    runs.hints.note(hint, this.#now());
    if (isFirst) wakeBy(runs.hints.dueAt()!);
  }

  onState(state: EventStreamState): void {
    const { world, schedule, wakeBy } = this.#parts;
    const earlierState = this.#state;
    this.#state = state;
    schedule.noteListening(state.kind === "listening");
    if (earlierState.kind === "listening") wakeBy(schedule.pollAt());
    const reason = "why" in state ? state.why : null;
    if (state.kind !== earlierState.kind) world.log.write("info", "events", { state: state.kind, why: reason });
  }

  /** @returns the documents that differ from base; null if only a listing can show the changes */
  async requestDocuments(): Promise<readonly RemoteFile[] | null> {
    const { world, runs } = this.#parts;
    const hintedDocuments = runs.hints.take();
    if (hintedDocuments.kind === "all") {
      if (hintedDocuments.folders) {
        runs.knownTrees.forgetRemote(true);
        this.payForList();
      }
      return null;
    }
    const documents = await requestHintedDocuments(world, hintedDocuments.files);
    if (documents === null) return null;
    const changedFiles = documents.filter((file) => {
      const record = world.state.record(file.id);
      return record === null || !isRemoteAsBase(record, file);
    });
    runs.hints.pay(documents.length - changedFiles.length, this.#now());
    return changedFiles;
  }

  /** Charges the listing that an event caused to the budget for events. */
  payForList(): void {
    const { hints, knownTrees } = this.#parts.runs;
    hints.payForList(knownTrees.documentCount(), this.#now());
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }
}

/**
 * Requests each document by its exact path, so that each answer is small. If an event names a
 * version that base has, sends no request.
 * @returns null if only a listing can show the changes: a document was moved, is gone, or could not
 * be read
 */
async function requestHintedDocuments(world: World, hints: readonly FileHint[]): Promise<RemoteFile[] | null> {
  const requests: { readonly hint: FileHint; readonly path: RemotePath }[] = [];
  for (const hint of hints) {
    const path = findPathToRequest(world, hint, world.state.record(hint.id));
    if (path === "elsewhere") return null;
    if (path !== "known") requests.push({ hint, path });
  }
  const documents = await Promise.all(requests.map(({ hint, path }) => requestDocumentAt(world, hint, path)));
  return documents.every((file) => file !== null) ? documents : null;
}

/**
 * Returns the path at which to request a document, relative to the linked part of the workspace.
 * - `known`: base is up to date, so no request is needed.
 * - `elsewhere`: the document is gone, was moved, or has an unknown path. A listing is needed,
 *   because other documents may have moved too.
 */
function findPathToRequest(
  world: World,
  hint: FileHint,
  record: DocumentRecord | null,
): RemotePath | "known" | "elsewhere" {
  const { gone, changeId } = hint;
  const path = hint.path === null ? null : fromServicePath(world, hint.path);
  const isOutside = hint.path !== null && (path === null || path === "");
  if (record === null) return gone || isOutside ? "known" : (path ?? "elsewhere");
  if (gone || isOutside || (path !== null && path !== record.remotePath)) return "elsewhere";
  return path !== null && changeId === record.changeId ? "known" : record.remotePath;
}

/**
 * Requests a document. Returns null if no answer arrives, or if the document is not at the path.
 */
async function requestDocumentAt(world: World, { id }: FileHint, path: RemotePath): Promise<RemoteFile | null> {
  const listing = await world.remote.listFiles({ kind: "path", path: toService(world, path) });
  const file = listing.complete ? toRemoteFiles(world, listing).get(id) : undefined;
  return file?.path === path ? file : null;
}
