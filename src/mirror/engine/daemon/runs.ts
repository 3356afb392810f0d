import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import { isWithin, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree, LocalTree, RemoteFile, Trees, UnreadReason } from "../../model/tree.ts";
import { findDelayedContents, runCycles, RunEntry } from "../run/converge.ts";
import { runNarrowCycle } from "../run/cycle.ts";
import {
  type CycleEnd,
  type DaemonObservers,
  forgetFutile,
  makeEmptyMemory,
  makeEmptyTally,
  type PlannedCycle,
} from "../run/cycle-context.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings, World } from "../run/world.ts";
import { FilesInUse } from "../run/files-in-use.ts";
import { HotPlaces } from "./hot-places.ts";
import { KnownTrees } from "./known-trees.ts";
import { DirtyPaths, findEmptiedFiles, hidePaths, isHidden, PendingDeletions, UnchangedValues } from "./unsettled.ts";
import { RemoteHints } from "./remote-hints.ts";
import { RequestBudget } from "./request-budget.ts";
import { StalePaths } from "./stale-paths.ts";
import { type DaemonTiming, type EventPublisher, toWallTime } from "./interface.ts";
import { META } from "../run/meta.ts";
import { forgetSent, rememberLastRun } from "../run/run-state.ts";

/**
 * LIMIT: number of documents changed on the service that are synced without a full run. For each
 * such document, mdmirror reads all records, so a full run is faster for more documents. Changed
 * local paths have no such limit.
 */
const MAX_SINGLE_DOCUMENTS = 16;

/** Keeps what the daemon knows between its runs, and carries out its runs. */
export class DaemonRuns {
  readonly dirty: DirtyPaths;
  readonly hints: RemoteHints;
  readonly deletions: PendingDeletions;
  readonly knownTrees: KnownTrees;
  readonly budget: RequestBudget;
  readonly hot: HotPlaces;
  /**
   * Contents of protected documents. Such content goes to review only after it was unchanged for a
   * while.
   */
  readonly unchangedContents: UnchangedValues<DocId, Digest>;
  /**
   * Files that became empty, each with the reason why mdmirror does not plan the file for a while.
   */
  readonly emptied: UnchangedValues<LocalPath, UnreadReason>;
  readonly inUse: FilesInUse;
  readonly #world: World;
  readonly #settings: Settings;
  readonly #stalePaths: StalePaths;
  /** Failed and refused actions since mdmirror last sent all refused requests again. */
  #memory = makeEmptyMemory();
  #stoppedDeletions: ReadonlySet<LocalPath> = new Set();

  constructor(world: World, settings: Settings, timing: DaemonTiming) {
    this.#world = world;
    this.#settings = settings;
    this.dirty = new DirtyPaths(timing);
    this.hints = new RemoteHints(timing);
    this.deletions = new PendingDeletions(timing);
    this.knownTrees = new KnownTrees(world);
    this.budget = new RequestBudget(world.remote, timing, world.clock.monotonic());
    this.hot = new HotPlaces(world, this.knownTrees, this.budget, timing);
    this.unchangedContents = new UnchangedValues(timing.reviewDelayMs);
    this.emptied = new UnchangedValues(timing.emptyMs);
    this.inUse = new FilesInUse(world, settings.handsOff);
    this.#stalePaths = new StalePaths(timing.stalePathMs, (path) => this.dirty.note(path, false, this.#now()));
  }

  async run(retryRefused: boolean): Promise<RunReport> {
    let sentDeletions: ReadonlySet<LocalPath> = new Set();
    if (retryRefused) this.#memory = makeEmptyMemory();
    const { knownTrees } = this;
    const observers: DaemonObservers = {
      local: (base, ...scan) => this.#hideUnsettled(base, knownTrees.observeLocal(base, ...scan)),
      remote: (...scan) => knownTrees.observeRemote(...scan),
      redirectSaves: (ctx, { base, local }) => this.#stalePaths.redirect(ctx, base, local, this.#now()),
    };
    const run = new RunEntry(this.#world, "watch");
    const { report, end } = await runCycles(this.#world, {
      run,
      settings: this.#settingsNow(),
      retryRefused,
      memory: this.#memory,
      scanOptions: () => {
        // The deletions that a safety check stopped are no longer delayed. Only the safety check
        // prevents these deletions.
        sentDeletions = new Set([...this.deletions.due(this.#now()), ...this.#stoppedDeletions]);
        return {
          observers,
          unchangedContents: this.unchangedContents.settled(this.#now()),
          absentTwice: sentDeletions,
        };
      },
      onCycle: (end) => this.#afterCycle(end, sentDeletions),
    });
    run.end(report);
    forgetFutile(this.#memory, end.kind === "planned" && end.trees.remote.complete);
    return report;
  }

  /**
   * Scans the documents at these paths. Returns `same` if nothing changed. Returns `whole` if a
   * full run is needed.
   * @param shown documents at these paths from the answer to a request
   * @param last report of the last run
   */
  scanNarrowly(paths: readonly LocalPath[], shown: readonly RemoteFile[], last: RunReport): "same" | "whole" | Trees {
    const now = this.#now();
    if (!hasPlannedAll(last) || shown.length > MAX_SINGLE_DOCUMENTS) return "whole";
    if (!paths.every((path) => this.dirty.isSettled(path, now))) return "whole";
    const trees = this.knownTrees.scanNarrowly(paths, shown);
    if (typeof trees === "string") return trees;
    // Paths that are still changing count as unread, because a user may have moved one of these
    // documents to such a path.
    const unsettledPaths = [...this.dirty.unsettled(now)].filter(
      ([dirty]) => !paths.some((path) => isWithin(path, dirty)),
    );
    return { ...trees, local: { ...trees.local, unseen: new Map(unsettledPaths) } };
  }

  /**
   * Runs one cycle for a few documents. Loads only the records of these documents, because loading
   * all records would take longer than the cycle.
   * @param last report of the last run, which is still right about all other documents
   * @returns the report; `whole` if a full run is needed or a step failed
   */
  async runNarrowly(narrow: Trees, last: RunReport): Promise<"whole" | RunReport> {
    const tally = { ...makeEmptyTally(), ...this.#memory };
    const run = new RunEntry(this.#world, "watch");
    const settings = this.#settingsNow();
    const input = { run, settings, tally, retryRefused: false, unchangedContents: null, dry: false };
    const cycleEnd = await runNarrowCycle(this.#world, { ...input, absentTwice: new Set() }, narrow);
    if (cycleEnd === null) return "whole";
    // These members describe only one run, so the new report does not repeat the members of the
    // last run.
    const { renamed: _renamed, movedOutOfWay: _movedOutOfWay, oneWay: _oneWay, inert: _inert, ...lasting } = last;
    const report = {
      ...lasting,
      run: run.begun ?? last.run,
      cycles: 1,
      counts: { ...tally.counts, blocked: last.counts.blocked },
    };
    run.end(report);
    forgetFutile(this.#memory, false);
    this.#noteCycle(cycleEnd);
    return cycleEnd.ends.every((step) => step.kind === "ran" && step.outcome.kind === "done") ? report : "whole";
  }

  /** Returns settings without delays, because the daemon delays deletions and reviews itself. */
  #settingsNow(): Settings {
    return { ...this.#settings, reviewsOnlyUnchanged: false, secondLookMs: null };
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }

  #hideUnsettled(base: BaseTree, tree: LocalTree): LocalTree {
    const emptiedFiles = findEmptiedFiles(tree, base);
    this.emptied.update(this.#now(), emptiedFiles);
    const settledFiles = this.emptied.settled(this.#now());
    const waitingFiles = new Map([...emptiedFiles].filter(([path]) => !settledFiles.has(path)));
    return hidePaths(tree, new Map([...waitingFiles, ...this.dirty.unsettled(this.#now())]));
  }

  /** @param sent local paths of the deletions that the cycle was allowed to send */
  #afterCycle(end: CycleEnd, sent: ReadonlySet<LocalPath>): void {
    this.#noteCycle(end);
    if (end.kind === "offline") return;
    if (end.trees.local.unseen.has("")) {
      // No absence is proven without a scan of the folder, so each delay starts again.
      this.deletions.restart(this.#now());
      return;
    }
    this.#stalePaths.afterCycle(end, this.#now());
    this.#stoppedDeletions = findStoppedDeletions(end);
    this.#updateDeletions(end, sent);
    this.unchangedContents.update(this.#now(), findDelayedContents(end.plan));
  }

  #noteCycle(end: CycleEnd): void {
    this.knownTrees.afterCycle(end);
    this.hot.noteRun(end, this.#now());
    this.inUse.update();
  }

  #updateDeletions({ plan, trees }: PlannedCycle, sent: ReadonlySet<LocalPath>): void {
    const absentPaths = new Map<LocalPath, boolean>();
    for (const { reason, path, key } of plan.blocks)
      if (reason === "second-scan") absentPaths.set(path, trees.base.conflicts.has(key as DocId));
    this.deletions.update(absentPaths, sent, this.#now(), (path) => isHidden(path, trees.local.unseen));
  }
}

/** Returns true if a run planned every change. Later changes then need no full run. */
function hasPlannedAll({ state, beside }: RunReport): boolean {
  return (state === "in-sync" || state === "attention") && beside.length === 0;
}

function findStoppedDeletions({ plan }: PlannedCycle): ReadonlySet<LocalPath> {
  const paths = new Set<LocalPath>();
  if (plan.verdict.kind !== "safety-stop") return paths;
  for (const index of plan.verdict.stoppedSteps) {
    const action = plan.steps[index]?.action;
    if (action?.kind === "delete-remote") paths.add(action.localPath);
  }
  return paths;
}

/** Milliseconds between two writes of the time of the last sync while nothing else changes. */
const NOTE_SYNCED_MS = 60_000;

/** Keeps the results of runs. Writes the results to the state file only if they have changed. */
export class RunLog {
  readonly #world: World;
  readonly #publisher: EventPublisher;
  readonly #deletions: PendingDeletions;
  #report: RunReport | null = null;
  #isStopAnnounced = false;
  #inSyncAsOf: number | null = null;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(world: World, publisher: EventPublisher, deletions: PendingDeletions) {
    this.#world = world;
    this.#publisher = publisher;
    this.#deletions = deletions;
  }

  /**
   * @param listed true if the run listed the service; without a listing, the two sides may differ
   */
  note(report: RunReport, listed: boolean): void {
    const earlierReport = this.#report;
    const didSomething = report.run !== 0 && report.run !== earlierReport?.run;
    this.#report = report;
    if (listed) this.noteListed(didSomething);
    rememberLastRun(this.#world, report);
    this.#publishDeletions(report);
    if (didSomething || earlierReport === null || !haveSameEnd(earlierReport, report))
      this.#publisher.publish({ kind: "run", report });
  }

  report(): RunReport | null {
    return this.#report;
  }

  inSyncAsOf(): number | null {
    return this.#inSyncAsOf;
  }

  /**
   * Publishes the new pending deletions. If a safety check is newly expected to stop the sync,
   * publishes all pending deletions again.
   */
  #publishDeletions({ expectedStopReasons }: RunReport): void {
    const isStopExpected = expectedStopReasons !== undefined;
    const { begun, cancelled } = this.#deletions.takeChanges(isStopExpected && !this.#isStopAnnounced);
    for (const { path, dueAt, inConflict } of begun) {
      const dueTime = toWallTime(this.#world.clock, dueAt);
      this.#publisher.publish({ kind: "deletion-pending", path, dueAt: dueTime, inConflict, asks: isStopExpected });
    }
    this.#isStopAnnounced = isStopExpected;
    for (const path of cancelled) this.#publisher.publish({ kind: "deletion-called-off", path });
  }

  /**
   * Records that both sides are equal, after a listing of the service, if the last run left no
   * change.
   * @param writeNow true to write the time to the state file immediately; otherwise once a minute
   */
  noteListed(writeNow: boolean): void {
    if (this.#report?.state !== "in-sync") return;
    const { clock, state } = this.#world;
    this.#inSyncAsOf = clock.now();
    forgetSent(state);
    if (!writeNow && clock.monotonic() - this.#writtenAt < NOTE_SYNCED_MS) return;
    this.#writtenAt = clock.monotonic();
    state.setMeta(META.syncedAt, String(this.#inSyncAsOf));
  }
}

function haveSameEnd(a: RunReport, b: RunReport): boolean {
  return b.oneWay === undefined && a.state === b.state && toAttentionKey(a) === toAttentionKey(b);
}

function toAttentionKey({ attention }: RunReport): string {
  return attention.map(({ path, kind }) => `${kind} ${path}`).join("\n");
}
