import type { LocalPath } from "../../../contract/path.ts";
import type { RemoteFile } from "../../model/tree.ts";
import type { Fault, RemoteEvents } from "../../ports/remote.ts";
import type { Watcher } from "../../ports/disk.ts";
import { listDocuments } from "../observe/documents.ts";
import { describeStop } from "../run/guard-facts.ts";
import { META } from "../run/meta.ts";
import type { Settings, World } from "../run/world.ts";
import {
  chooseFailureReason,
  type DaemonPhase,
  type DaemonStatus,
  type DaemonTiming,
  type EventPublisher,
  IDLE_PHASE,
  PAUSED_PHASE,
  toWallTime,
} from "./interface.ts";
import { EventWatch, FolderWatch, type WatchListener } from "./watches.ts";
import { DaemonRuns, RunLog } from "./runs.ts";
import { type DueWork, Schedule } from "./schedule.ts";

/** LIMIT: number of changed paths in the status, so that the status stays short. */
const MAX_SHOWN_PATHS = 100;

type RunnerParts = {
  readonly world: World;
  readonly watcher: Watcher;
  /** Event stream of the service; null if the daemon does not use one. */
  readonly events: RemoteEvents | null;
  readonly settings: Settings;
  readonly timing: DaemonTiming;
  readonly publisher: EventPublisher;
  /** Ends the daemon's sleep at `time` or earlier, for work that became due during the sleep. */
  readonly wakeBy: (time: number) => void;
};

/** Does due work, one run at a time. Times are monotonic; only the status has wall times. */
export class Runner implements WatchListener {
  readonly #parts: RunnerParts;
  readonly runs: DaemonRuns;
  readonly #runLog: RunLog;
  readonly #schedule: Schedule;
  readonly #watch: FolderWatch;
  readonly #eventWatch: EventWatch;
  #phase: DaemonPhase = IDLE_PHASE;
  /** End of the pause: infinity if it lasts until `resume`; null without a pause. */
  #pausedUntil: number | null;

  constructor(parts: RunnerParts) {
    const { world, watcher, events, settings, timing, publisher, wakeBy } = parts;
    this.#parts = parts;
    this.runs = new DaemonRuns(world, settings, timing);
    this.#runLog = new RunLog(world, publisher, this.runs.deletions);
    this.#schedule = new Schedule(timing, world.clock, world.random, this.runs);
    this.#eventWatch = new EventWatch({ world, events, runs: this.runs, schedule: this.#schedule, wakeBy });
    this.#watch = new FolderWatch(world, watcher, this, () => this.runs.knownTrees.lastLocal());
    this.#pausedUntil = readPauseEnd(world);
    if (this.#isPaused()) this.#enter(PAUSED_PHASE);
  }

  /** Does the most urgent work that is due. Returns false if nothing is due. */
  async turn(): Promise<boolean> {
    if (this.#pausedUntil !== null && this.#pausedUntil <= this.#now()) {
      this.resume();
      await this.runWhole();
      return true;
    }
    const dueWork = this.#isPaused() ? null : this.#schedule.firstDue();
    if (dueWork !== null) await this.#do(dueWork);
    return dueWork !== null;
  }

  dueAt(): number {
    return this.#pausedUntil ?? this.#schedule.nextAt();
  }

  async #do(due: DueWork): Promise<void> {
    switch (due) {
      case "retry":
      case "rescan":
        return this.runWhole();
      case "dirty":
        return this.#runDirty();
      case "events":
        return this.#runHints();
      case "deletion":
        // Before mdmirror sends a deletion, it must list the service again.
        this.runs.knownTrees.forgetRemote(false);
        return this.#run(false);
      case "unchanged":
      case "free":
        return this.#run(false);
      case "poll":
        return this.#poll();
      case "hot":
        return this.#runHot();
    }
  }

  async runWhole(): Promise<void> {
    const { knownTrees, dirty } = this.runs;
    knownTrees.forgetRemote(true);
    dirty.take(this.#now());
    await this.#run(this.#schedule.takeRetryRefused());
    this.#schedule.scheduleRescan();
    this.#schedule.schedulePoll(this.#watch.isAway());
  }

  /**
   * Scans and plans the paths that no program has changed for a while. Does nothing while the
   * daemon is paused.
   * @param duringRetryWait true to scan also while a failed run waits for its retry
   */
  async scanSettled(duringRetryWait: boolean): Promise<void> {
    if (!this.#isPaused() && (duringRetryWait || this.#schedule.retryAt() === null)) await this.#runDirty();
  }

  hasRun(): boolean {
    return this.#runLog.report() !== null;
  }

  /**
   * Returns true if no run will upload content without the user: the daemon is paused, or a safety
   * check stopped the sync.
   */
  isStill(): boolean {
    return this.#isPaused() || this.#phase.kind === "stopped";
  }

  #isPaused(): boolean {
    return this.#pausedUntil !== null;
  }

  /** @param forMs length of the pause in milliseconds; null if it lasts until `resume` */
  pause(forMs: number | null): void {
    const { state, clock } = this.#parts.world;
    this.#pausedUntil = this.#now() + (forMs ?? Number.POSITIVE_INFINITY);
    state.setMeta(META.paused, forMs === null ? "yes" : `${clock.now() + forMs} ${forMs}`);
    this.#enter(PAUSED_PHASE);
  }

  resume(): void {
    this.#pausedUntil = null;
    this.#parts.world.state.setMeta(META.paused, null);
    this.#schedule.noteSuccess();
    if (this.#phase === PAUSED_PHASE) this.#enter(IDLE_PHASE);
  }

  noteApplying(): void {
    if (this.#phase.kind === "observing") this.#enter({ kind: "applying" });
  }

  /**
   * Scans both sides after a suspension of the machine, during which the folder was not watched.
   * @param sleptMs length of the suspension in milliseconds
   */
  noteGap(sleptMs: number): void {
    this.runs.deletions.restart(this.#now());
    this.runs.knownTrees.forgetRemote(false);
    this.#schedule.rescanNow();
    this.#parts.publisher.publish({ kind: "woke", sleptMs: Math.round(sleptMs) });
  }

  onHint(path: LocalPath, whole: boolean): void {
    this.runs.dirty.note(path, whole, this.#now());
    this.#parts.wakeBy(this.#now() + this.#parts.timing.settleMs);
  }

  onLimit(limit: { readonly code: string; readonly why: string }): void {
    this.#parts.world.log.write("warn", "watch-limit", limit);
    this.#parts.publisher.publish({ kind: "watch-limit", code: limit.code, detail: limit.why });
  }

  readonly listen = (): void => this.#eventWatch.start();

  async stop(): Promise<void> {
    this.#enter({ kind: "ended" });
    await this.#eventWatch.close();
    await this.#watch.close();
  }

  status(): DaemonStatus {
    const { dirty, deletions } = this.runs;
    const toShownTime = (time: number | null) => (time === null ? null : toWallTime(this.#parts.world.clock, time));
    const [pausedUntil, retryAt] = [this.#pausedUntil, this.#schedule.retryAt()];
    return {
      phase: this.#phase,
      inSyncAsOf: this.#runLog.inSyncAsOf(),
      pendingDeletions: deletions.list().map(({ path, dueAt }) => ({ path, dueAt: toShownTime(dueAt)! })),
      dirty: { count: dirty.count(), paths: dirty.paths(MAX_SHOWN_PATHS) },
      lastReport: this.#runLog.report(),
      pausedUntil: pausedUntil === Number.POSITIVE_INFINITY ? null : toShownTime(pausedUntil),
      nextPollAt: pausedUntil !== null || retryAt !== null ? null : toShownTime(this.#schedule.pollAt()),
      retryAt: toShownTime(retryAt),
      watching: this.#watch.state(),
      limit: this.#watch.limit(),
      eventStream: this.#eventWatch.state(),
    };
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }

  #enter(phase: DaemonPhase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#parts.publisher.publish({ kind: "phase", phase });
  }

  async #runDirty(): Promise<void> {
    const { paths, whole, many } = this.runs.dirty.take(this.#now());
    if (paths.length === 0 && !many) return;
    if (!whole && !many && (await this.#judgeAlone(paths))) return;
    this.#schedule.noteActivity();
    await this.#run(false);
    // LIMIT: Node does not report a full event queue (inotify), from which the system drops events.
    // Therefore the whole folder is scanned after very many events.
    if (many) this.runs.dirty.note("", true, this.#now());
  }

  /**
   * Syncs a few documents without a scan of all others, which is enough for nearly every edit.
   * @param shown documents at these paths from the answer to a request
   * @returns false if a full run is needed
   */
  async #judgeAlone(paths: readonly LocalPath[], shown: readonly RemoteFile[] = []): Promise<boolean> {
    const lastReport = this.#runLog.report();
    if (lastReport === null) return false;
    const scanResult = this.runs.scanNarrowly(paths, shown, lastReport);
    if (typeof scanResult === "string") return scanResult === "same";
    this.#schedule.noteActivity();
    this.#enter({ kind: "observing" });
    const runResult = await this.runs.runNarrowly(scanResult, lastReport);
    if (runResult === "whole") return false;
    this.#schedule.noteSuccess();
    this.#enter(IDLE_PHASE);
    this.#runLog.note(runResult, false);
    return true;
  }

  #judgeShown(shown: readonly RemoteFile[]): Promise<boolean> {
    const { state } = this.#parts.world;
    const paths = shown.map(({ id, path }) => state.record(id)?.localPath ?? path);
    return this.#judgeAlone(paths, shown);
  }

  /**
   * Requests the documents that events named. Lists the workspace if these documents do not show
   * all changes.
   */
  async #runHints(): Promise<void> {
    const shownFiles = await this.#eventWatch.requestDocuments();
    if (shownFiles?.length === 0 || (shownFiles !== null && (await this.#judgeShown(shownFiles)))) return;
    this.#eventWatch.payForList();
    await this.#poll();
  }

  /**
   * Lists the hot places. Syncs the changed documents alone if possible; otherwise makes a full run
   * or a listing due.
   */
  async #runHot(): Promise<void> {
    const { hot, knownTrees } = this.runs;
    const { files, needsAll } = await hot.listDuePlaces(this.#now());
    if (needsAll) this.#schedule.pollSoon();
    if (files.length === 0 || this.#watch.isAway()) return;
    if (await this.#judgeShown(files)) return;
    this.#schedule.noteActivity();
    // Two documents may have swapped paths: a listed document can have the path of a document that
    // was not listed. Only a listing of the whole workspace shows the new path of the other
    // document.
    if (needsAll || !knownTrees.takeShown(files)) this.#schedule.pollSoon();
    else await this.#run(false);
  }

  async #poll(): Promise<void> {
    const isWatched = this.#watch.state() === "events";
    if (!isWatched) this.runs.dirty.take(this.#now());
    const folderState = this.#checkFolder();
    if (folderState === "back") return this.runWhole();
    if (folderState === "there") await this.#pollService(isWatched);
    else if (this.#phase.kind !== "stopped") await this.#run(false);
    this.#schedule.schedulePoll(this.#watch.isAway());
  }

  /**
   * Lists the service, and starts a run if something changed.
   * @param isWatched false if the folder is not watched, so that a run must scan it
   */
  async #pollService(isWatched: boolean): Promise<void> {
    const { budget, knownTrees } = this.runs;
    const sentBefore = budget.sent();
    const listing = await listDocuments(this.#parts.world);
    if (listing.complete) budget.noteWhole(budget.sent() - sentBefore);
    const isChanged = knownTrees.takeListing(listing) === "changed";
    if (isChanged && listing.complete) this.#schedule.noteActivity();
    if (isChanged || !isWatched) await this.#run(false);
    else if (this.runs.dirty.count() === 0) this.#runLog.noteListed(false);
  }

  /**
   * A missing folder is not watched. Therefore the delay of each deletion starts again when the
   * folder is back.
   */
  #checkFolder(): "there" | "away" | "lost" | "back" {
    const folder = this.#watch.checkFolder();
    if (folder === "lost" || folder === "back") this.runs.deletions.restart(this.#now());
    return folder;
  }

  async #run(retryRefused: boolean): Promise<void> {
    this.#checkFolder();
    this.#enter({ kind: "observing" });
    const report = await this.runs.run(retryRefused);
    if (report.state === "offline") this.#noteFailure(report.fault);
    else {
      this.#schedule.noteSuccess();
      this.#enter(
        report.safetyStop === null ? IDLE_PHASE : { kind: "stopped", detail: describeStop(report.safetyStop) },
      );
    }
    if (this.#isPaused()) this.#enter(PAUSED_PHASE);
    const { knownTrees } = this.runs;
    this.#runLog.note(report, knownTrees.takeWasListed());
    this.#schedule.scheduleUnchanged();
    const lastTree = knownTrees.lastLocal();
    if (lastTree !== null && !lastTree.unseen.has("")) await this.#watch.ensure();
  }

  #noteFailure(fault: Fault | null): void {
    const reason = chooseFailureReason(fault);
    this.#schedule.noteFailure(reason);
    const detail = fault?.detail ?? "the service did not answer";
    this.#enter({ kind: "waiting", why: reason, failures: this.#schedule.failures(), detail });
  }
}

/**
 * Returns the monotonic time at which the stored pause of the last daemon ends: infinity if the
 * pause lasts until `resume`; null without a pause. A wall clock that was set back does not prolong
 * the pause.
 */
function readPauseEnd({ state, clock }: World): number | null {
  const storedPause = state.meta(META.paused);
  if (storedPause === null) return null;
  const [pauseEnd, ms] = storedPause.split(" ").map(Number);
  const leftMs = ms === undefined ? Number.POSITIVE_INFINITY : Math.min(pauseEnd! - clock.now(), ms);
  return clock.monotonic() + leftMs;
}
