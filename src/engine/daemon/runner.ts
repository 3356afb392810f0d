import type { LocalPath } from "../../model/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Watcher } from "../../ports/watch.ts";
import { listDocuments } from "../observe/listed.ts";
import { isWholeServiceFault } from "../observe/prove-absences.ts";
import { META } from "../run/meta.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings, World } from "../run/world.ts";
import { Agenda, type Due } from "./agenda.ts";
import { type RunLog, createRunLog } from "./run-log.ts";
import type { DaemonStatus } from "./daemon.ts";
import { RootWatch } from "./root-watch.ts";
import { haltDetail, IDLE, nextPhase, type Phase, type PhaseEvent, waitReasonOf } from "./phase.ts";
import { showStatus } from "./show-status.ts";
import type { EventPublisher } from "./publish-events.ts";
import type { DaemonTiming } from "./timing.ts";
import { createWatching, type Watching } from "./watching.ts";
import { createWork, type Work } from "./work.ts";

export type RunnerParts = {
  readonly world: World;
  readonly watcher: Watcher;
  readonly settings: Settings;
  readonly timing: DaemonTiming;
  readonly publisher: EventPublisher;
  /** Something will be due then that was not foreseen. */
  readonly wakeBy: (at: number) => void;
  /** What is loaded of the state need not be kept. */
  readonly letGo: () => void;
};

/**
 * Decides what is due, and does it: one run at a time. Times are monotonic but where they are
 * shown.
 */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #work: Work;
  readonly #watching: Watching;
  readonly #runLog: RunLog;
  readonly #agenda: Agenda;
  readonly #ground: RootWatch;
  #phase: Phase = IDLE;
  #paused: boolean;

  constructor(parts: RunnerParts) {
    const { world, watcher, settings, timing, publisher, letGo } = parts;
    this.#parts = parts;
    this.#work = createWork(world, settings, timing, letGo);
    this.#runLog = createRunLog(world, publisher);
    this.#agenda = new Agenda(timing, world.clock, world.random, this.#work);
    this.#watching = createWatching(
      watcher,
      (path, whole) => this.#hint(path, whole),
      (limit) => {
        world.log.write("warn", "watch-limit", limit);
        publisher.tell({ kind: "watch-limit", code: limit.code, detail: limit.why });
      },
    );
    this.#ground = new RootWatch(world, this.#work, this.#watching);
    this.#paused = world.state.meta(META.paused) !== null;
    if (this.#paused) this.#enter({ kind: "pause" });
  }

  /** Does the first thing that is due. @returns whether anything was */
  async turn(): Promise<boolean> {
    const due = this.#paused ? null : this.#agenda.first();
    if (due !== null) await this.#do(due);
    return due !== null;
  }

  /** When the next turn has something to do. */
  dueAt(): number {
    return this.#paused ? Number.POSITIVE_INFINITY : this.#agenda.nextAt();
  }

  async #do(due: Due): Promise<void> {
    switch (due) {
      case "retry":
      case "rescan":
        return void (await this.runWhole(false));
      case "dirty":
        return this.#runDirty();
      case "graces":
        // Both sides are looked at again before a deletion goes.
        this.#work.knownTrees.forgetLocal();
        this.#work.knownTrees.forgetRemote(false);
        return this.#run(false);
      case "rest":
        return this.#run(false);
      case "poll":
        return this.#poll();
    }
  }

  /** Both sides in full. */
  async runWhole(retryRefused: boolean): Promise<RunReport> {
    const { knownTrees, dirty } = this.#work;
    knownTrees.forgetLocal();
    knownTrees.forgetRemote(true);
    dirty.take(this.#now());
    await this.#run(this.#agenda.takeRetryRefused(retryRefused));
    this.#agenda.scheduleRescan();
    this.#agenda.schedulePoll(this.#ground.isAway());
    return this.lastReport();
  }

  lastReport(): RunReport {
    return this.#runLog.reportOrBlank();
  }

  pause(): void {
    this.#paused = true;
    this.#parts.world.state.setMeta(META.paused, "yes");
    this.#enter({ kind: "pause" });
  }

  resume(): void {
    this.#paused = false;
    this.#parts.world.state.setMeta(META.paused, null);
    this.#agenda.succeeded();
    this.#enter({ kind: "resume" });
  }

  applying(): void {
    this.#enter({ kind: "apply" });
  }

  lookAtAll(): void {
    this.#work.knownTrees.disturb();
    this.#agenda.rescanNow();
  }

  woke(sleptMs: number): void {
    this.#work.graces.restart(this.#now());
    this.lookAtAll();
    this.#parts.publisher.tell({ kind: "woke", sleptMs: Math.round(sleptMs) });
  }

  async stop(): Promise<void> {
    this.#enter({ kind: "stop" });
    await this.#watching.close();
  }

  status(): DaemonStatus {
    const { clock } = this.#parts.world;
    const [phase, paused, work, watching] = [this.#phase, this.#paused, this.#work, this.#watching];
    return showStatus({ clock, phase, paused, work, watching, runLog: this.#runLog, agenda: this.#agenda });
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
    this.#phase = nextPhase(before, event, this.#agenda.failures());
    if (this.#phase !== before) this.#parts.publisher.tell({ kind: "phase", phase: this.#phase });
  }

  /** Local hints that have settled. */
  async #runDirty(): Promise<void> {
    const { dirty, knownTrees } = this.#work;
    const { paths, whole, many } = dirty.take(this.#now());
    if (!whole && !many && (await this.#runPart(paths))) return;
    const looked = whole ? "whole" : knownTrees.lookAt(paths);
    // A pass that ran before it had settled saw it, and left it unjudged.
    if (looked === "same" && !this.#work.hidAny(paths)) return;
    if (looked === "whole") knownTrees.forgetLocal();
    this.#agenda.noteActivity();
    await this.#run(false);
    // LIMIT: Node does not tell that inotify's queue was full. After very many notices the folder
    // is walked once more.
    if (many) dirty.note("", true, this.#now());
  }

  /**
   * The plain case, and nearly all there is to do in a day. @returns false: everything must be
   * judged
   */
  async #runPart(paths: readonly LocalPath[]): Promise<boolean> {
    const last = this.#runLog.report();
    const part = last === null ? "whole" : this.#work.part(paths, last);
    if (last === null || part === "whole") return false;
    if (part === "same") return true;
    this.#agenda.noteActivity();
    this.#enter({ kind: "look" });
    const ended = await this.#work.runPart(part, last);
    if (ended === "whole") return false;
    this.#agenda.succeeded();
    this.#enter({ kind: "ended" });
    this.#runLog.note({ ...ended, begun: new Map(), calledOff: new Set() }, false, () => 0);
    return true;
  }

  async #poll(): Promise<void> {
    const { world } = this.#parts;
    const { knownTrees, dirty } = this.#work;
    const polling = this.#watching.state() !== "events";
    if (polling) {
      knownTrees.forgetLocal();
      dirty.take(this.#now());
    }
    const wasAway = this.#ground.isAway();
    if (!this.#ground.look()) {
      if (this.#phase.kind !== "halted") await this.#run(false);
      this.#agenda.schedulePoll(this.#ground.isAway());
      return;
    }
    if (wasAway) return void (await this.runWhole(false));
    const began = this.#now();
    const listing = await listDocuments(world);
    const fault = listing.complete ? null : listing.fault;
    if (fault !== null && isWholeServiceFault(fault)) {
      this.#enter({ kind: "look" });
      this.#failed(fault);
    } else {
      const changed = knownTrees.take(listing) === "changed";
      if (changed) this.#agenda.noteActivity();
      if (changed || polling) await this.#run(false, began);
      else if (dirty.count() === 0) this.#runLog.noteInSync();
    }
    this.#agenda.schedulePoll(this.#ground.isAway());
  }

  /** @param began with the look at the service that it goes by */
  async #run(retryRefused: boolean, began = this.#now()): Promise<void> {
    this.#ground.look();
    this.#enter({ kind: "look" });
    const ended = await this.#work.run(retryRefused);
    const { report } = ended;
    if (report.state === "offline") this.#failed(report.fault);
    else {
      this.#agenda.succeeded();
      this.#enter(report.state === "halted" ? { kind: "halt", detail: haltDetail(report) } : { kind: "ended" });
    }
    if (this.#paused) this.#enter({ kind: "pause" });
    const dueAt = new Map(this.#work.graces.pending().map((one) => [one.path, one.dueAt]));
    const [now, shown] = [this.#now(), this.#parts.world.clock.now() - this.#now()];
    const saw = this.#work.knownTrees.listedAt() >= began;
    this.#runLog.note(ended, saw, (path) => Math.round(shown + (dueAt.get(path) ?? now)));
    this.#agenda.scheduleRest();
    await this.#ground.watch();
  }

  #failed(fault: Fault | null): void {
    const why = waitReasonOf(fault);
    this.#enter({ kind: "failed", why, detail: fault?.detail ?? "the service did not answer" });
    this.#agenda.failed(why);
  }
}
