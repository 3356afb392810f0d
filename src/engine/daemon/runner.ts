import type { LocalPath } from "../../core/path.ts";
import type { Fault } from "../../core/ports/remote.ts";
import type { Watcher } from "../../core/ports/watch.ts";
import { checkRoot } from "../guard-facts.ts";
import { isWholeServiceFault, listDocuments } from "../observe.ts";
import type { RunReport } from "../report.ts";
import type { Settings, World } from "../world.ts";
import { type Chronicle, createChronicle } from "./chronicle.ts";
import type { DaemonStatus } from "./daemon.ts";
import { pollInterval, retryDelay } from "./pace.ts";
import { IDLE, nextPhase, type Phase, type PhaseEvent, waitReasonOf } from "./phase.ts";
import type { Herald } from "./tell.ts";
import type { DaemonTiming } from "./timing.ts";
import { createWatching, type Watching } from "./watching.ts";
import { createWork, type Work } from "./work.ts";

export type RunnerParts = {
  readonly world: World;
  readonly watcher: Watcher;
  readonly settings: Settings;
  readonly timing: DaemonTiming;
  readonly herald: Herald;
  /** Something will be due then that was not foreseen. */
  readonly wakeBy: (at: number) => void;
};

const PAUSED_META = "watch.paused";
const DIRTY_SHOWN = 100;

/** Decides what is due, and does it: one run at a time. Times are monotonic but where they are shown. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #work: Work;
  readonly #watching: Watching;
  readonly #chronicle: Chronicle;
  #phase: Phase = IDLE;
  #paused: boolean;
  #failures = 0;
  #rootAway = false;
  #rewatch = false;
  #activeAt: number;
  #pollAt: number;
  #rescanAt: number;
  #retryRefusedAt: number;
  #retryAt: number | null = null;
  #restAt: number | null = null;

  constructor(parts: RunnerParts) {
    const { world, watcher, settings, timing, herald } = parts;
    this.#parts = parts;
    this.#work = createWork(world, settings, timing);
    this.#chronicle = createChronicle(world, herald);
    this.#watching = createWatching(
      watcher,
      (path, whole) => this.#hint(path, whole),
      (limit) => {
        world.log.write("warn", "watch-limit", limit);
        herald.tell({ kind: "watch-limit", code: limit.code, detail: limit.why });
      },
    );
    this.#paused = world.state.meta(PAUSED_META) !== null;
    if (this.#paused) this.#enter({ kind: "pause" });
    const now = world.clock.monotonic();
    this.#activeAt = now;
    this.#pollAt = now;
    this.#rescanAt = now;
    this.#retryRefusedAt = now;
  }

  /** Does the first thing that is due. @returns whether anything was */
  async turn(): Promise<boolean> {
    const now = this.#now();
    if (this.#paused) return false;
    if (this.#retryAt !== null) {
      if (now < this.#retryAt) return false;
      await this.runWhole(false);
    } else if (this.#rescanAt <= now) await this.runWhole(false);
    else if (isDue(this.#work.dirty.dueAt(), now)) await this.#runDirty();
    else if (isDue(this.#work.graces.nextAt(), now)) await this.#runGraces();
    else if (isDue(this.#restAt, now)) await this.#run(false);
    else if (this.#pollAt <= now) await this.#poll();
    else return false;
    return true;
  }

  /** When the next turn has something to do. */
  dueAt(): number {
    if (this.#paused) return Number.POSITIVE_INFINITY;
    if (this.#retryAt !== null) return this.#retryAt;
    const { dirty, graces } = this.#work;
    const due = [this.#rescanAt, this.#pollAt, dirty.dueAt(), graces.nextAt(), this.#restAt];
    return Math.min(...due.map((at) => at ?? Number.POSITIVE_INFINITY));
  }

  /** Both sides in full. */
  async runWhole(retryRefused: boolean): Promise<RunReport> {
    const { timing } = this.#parts;
    const { sight, dirty } = this.#work;
    const now = this.#now();
    const again = retryRefused || this.#retryRefusedAt <= now;
    if (again) this.#retryRefusedAt = now + timing.retryRefusedMs;
    sight.forgetLocal();
    sight.forgetRemote(true);
    dirty.take(now);
    await this.#run(again);
    this.#rescanAt = this.#now() + timing.rescanMs;
    this.#schedulePoll();
    return this.lastReport();
  }

  lastReport(): RunReport {
    return this.#chronicle.reportOrBlank();
  }

  pause(): void {
    this.#paused = true;
    this.#parts.world.state.setMeta(PAUSED_META, "yes");
    this.#enter({ kind: "pause" });
  }

  resume(): void {
    this.#paused = false;
    if (this.#parts.world.state.meta(PAUSED_META) !== null) this.#parts.world.state.setMeta(PAUSED_META, null);
    this.#retryAt = null;
    this.#enter({ kind: "resume" });
  }

  applying(): void {
    this.#enter({ kind: "apply" });
  }

  /** Somebody wrote the state, or time went by unseen: nothing that is kept is believed. */
  lookAtAll(): void {
    this.#rescanAt = this.#now();
    if (this.#retryAt !== null) this.#retryAt = this.#now();
  }

  woke(sleptMs: number): void {
    this.#work.graces.restart(this.#now());
    this.#failures = 0;
    this.lookAtAll();
    this.#parts.herald.tell({ kind: "woke", sleptMs: Math.round(sleptMs) });
  }

  async stop(): Promise<void> {
    this.#enter({ kind: "stop" });
    await this.#watching.close();
  }

  status(): DaemonStatus {
    const { dirty, graces } = this.#work;
    const shown = (at: number) => Math.round(this.#parts.world.clock.now() + at - this.#now());
    return {
      phase: this.#phase,
      inSyncAsOf: this.#chronicle.inSyncAsOf(),
      pendingDeletions: graces.pending().map(({ path, dueAt }) => ({ path, dueAt: shown(dueAt) })),
      dirty: { count: dirty.count(), paths: dirty.paths(DIRTY_SHOWN) },
      lastReport: this.#chronicle.report(),
      nextPollAt: this.#paused || this.#retryAt !== null ? null : shown(this.#pollAt),
      retryAt: this.#retryAt === null ? null : shown(this.#retryAt),
      watching: this.#watching.state(),
      limit: this.#watching.limit(),
    };
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }

  #hint(path: LocalPath, whole: boolean): void {
    this.#work.dirty.note(path, whole, this.#now());
    this.#parts.wakeBy(this.#now() + this.#parts.timing.settleMs);
  }

  #enter(event: PhaseEvent): void {
    const before = this.#phase;
    this.#phase = nextPhase(before, event, this.#failures);
    if (this.#phase !== before) this.#parts.herald.tell({ kind: "phase", phase: this.#phase });
  }

  #schedulePoll(): void {
    const { timing, world } = this.#parts;
    const quiet = this.#now() - this.#activeAt;
    // To see whether the folder is back costs no request.
    const interval = this.#rootAway
      ? timing.pollActiveMs
      : pollInterval(timing, quiet, this.#work.sight.documents(), world.random.fraction());
    this.#pollAt = this.#now() + interval;
  }

  #noteActivity(): void {
    this.#activeAt = this.#now();
    if (this.#pollAt > this.#now() + this.#parts.timing.pollActiveMs) this.#schedulePoll();
  }

  /** Local hints that have settled. */
  async #runDirty(): Promise<void> {
    const { dirty, sight } = this.#work;
    const { paths, whole } = dirty.take(this.#now());
    const looked = whole ? "whole" : sight.lookAt(paths);
    // A pass that ran before it had settled saw it, and left it unjudged.
    if (looked === "same" && !this.#work.hidAny(paths)) return;
    if (looked === "whole") sight.forgetLocal();
    this.#noteActivity();
    await this.#run(false);
  }

  /** Deletions whose grace is over: both sides are looked at again before they go. */
  async #runGraces(): Promise<void> {
    this.#work.sight.forgetLocal();
    this.#work.sight.forgetRemote(false);
    await this.#run(false);
  }

  async #poll(): Promise<void> {
    const { world } = this.#parts;
    const { sight, dirty } = this.#work;
    const polling = this.#watching.state() !== "events";
    if (polling) {
      sight.forgetLocal();
      dirty.take(this.#now());
    }
    const wasAway = this.#rootAway;
    if (!this.#isRootThere()) {
      if (this.#phase.kind !== "halted") await this.#run(false);
      this.#schedulePoll();
      return;
    }
    if (wasAway) return void (await this.runWhole(false));
    const listing = await listDocuments(world);
    const fault = listing.complete ? null : listing.fault;
    if (fault !== null && isWholeServiceFault(fault)) {
      this.#enter({ kind: "look" });
      this.#failed(fault);
    } else {
      const changed = sight.take(listing) === "changed";
      if (changed) this.#activeAt = this.#now();
      if (changed || polling) await this.#run(false);
      else this.#chronicle.noteInSync();
    }
    this.#schedulePoll();
  }

  async #run(retryRefused: boolean): Promise<void> {
    const { world } = this.#parts;
    const { dirty, graces, sight, quiet, emptied } = this.#work;
    this.#isRootThere();
    this.#enter({ kind: "look" });
    const ended = await this.#work.run(retryRefused);
    const { report } = ended;
    if (report.state === "offline") this.#failed(report.fault);
    else {
      this.#failures = 0;
      this.#retryAt = null;
      this.#enter(report.state === "halted" ? { kind: "halt", detail: haltDetail(report) } : { kind: "ended" });
    }
    if (this.#paused) this.#enter({ kind: "pause" });
    const dueAt = new Map(graces.pending().map((one) => [one.path, one.dueAt]));
    const shown = world.clock.now() - this.#now();
    this.#chronicle.note(ended, (path) => Math.round(shown + (dueAt.get(path) ?? this.#now())));
    this.#restAt = earliest(quiet.nextAt(this.#now()), emptied.nextAt(this.#now()));
    const tree = sight.local();
    if (this.#rewatch && !this.#rootAway) {
      this.#rewatch = false;
      await this.#watching.close();
    }
    if (!this.#rootAway && tree !== null && !tree.unseen.has("") && (await this.#watching.ensure(tree)))
      // What changed between the walk and the first watch had no hint.
      dirty.note("", true, this.#now());
  }

  #failed(fault: Fault | null): void {
    const { timing, world } = this.#parts;
    const why = waitReasonOf(fault);
    this.#enter({ kind: "failed", why, detail: fault?.detail ?? "the service did not answer" });
    this.#failures++;
    this.#retryAt = this.#now() + retryDelay(timing, why, this.#failures, world.random.fraction());
  }

  /** Whether the folder is the one that it was. While it is away nothing is watched, and every grace begins anew when it is back. */
  #isRootThere(): boolean {
    const { root } = checkRoot(this.#parts.world);
    const away = root !== "same" && root !== "moved-or-copied";
    if (away === this.#rootAway) return !away;
    this.#rootAway = away;
    // Watches are on the inodes of a folder, not on its path.
    this.#rewatch = true;
    this.#work.sight.forgetLocal();
    this.#work.graces.restart(this.#now());
    return !away;
  }
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function haltDetail({ halt }: RunReport): string {
  return halt === null ? "" : halt.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
}
