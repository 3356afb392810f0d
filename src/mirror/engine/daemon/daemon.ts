/** The daemon of one linked folder. File events, polls and requests start its runs. */

import type { Progress } from "../../ports/world.ts";
import { makeStoppable } from "../../model/stoppable.ts";
import type { Watcher } from "../../ports/disk.ts";
import type { World } from "../run/world.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { Barriers } from "./barriers.ts";
import {
  type BarrierEnd,
  type Daemon,
  type DaemonEvent,
  type DaemonOptions,
  type DaemonRequest,
  type DaemonStatus,
  type DaemonTiming,
  DEFAULT_TIMING,
  EventPublisher,
} from "./interface.ts";
import { Runner } from "./runner.ts";
import type { Clock } from "../../../common/clock.ts";

export function createDaemon(world: World, watcher: Watcher, options: DaemonOptions): Daemon {
  return new DaemonLoop(world, watcher, options);
}

export type CreateDaemon = typeof createDaemon;

/** Sleeps until an event arrives or work is due. All times come from `World.clock`. */
class DaemonLoop implements Daemon {
  readonly #world: World;
  readonly #publisher: EventPublisher;
  readonly #sleeper: Sleeper;
  readonly #requests: RequestQueue;
  readonly #runner: Runner;
  readonly #barriers: Barriers;
  /** Aborts when the signal of `run` aborts. After that, no step starts. */
  readonly #stop = new AbortController();
  #turnedAt: number;
  #started = false;

  constructor(world: World, watcher: Watcher, { settings, timing: times, events }: DaemonOptions) {
    const { clock, state, progress } = world;
    const timing = { ...DEFAULT_TIMING, ...times };
    this.#turnedAt = clock.monotonic();
    this.#publisher = new EventPublisher(clock, state);
    const onEvent: World["onEvent"] = (event) => {
      this.#noteTurn();
      this.#publisher.record(event);
    };
    const report: Progress["report"] = (phase, done, total) => {
      this.#noteTurn();
      if (phase === "apply") this.#runner.noteApplying();
      progress.report(phase, done, total);
    };
    const step: Progress["step"] = (action, has) => progress.step?.(action, has);
    const stoppable = makeStoppable(this.#stop.signal);
    this.#world = { ...world, onEvent, progress: { report, step }, stoppable };
    this.#sleeper = new Sleeper(clock, timing);
    this.#requests = new RequestQueue(() => this.#sleeper.wake());
    this.#runner = new Runner({
      world: this.#world,
      watcher,
      events: events ?? null,
      settings,
      timing,
      publisher: this.#publisher,
      wakeBy: (at) => this.#sleeper.wakeBy(at),
    });
    this.#barriers = new Barriers(this.#world, this.#runner, () => this.#sleeper.wake());
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error("a daemon runs once");
    this.#started = true;
    signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
    try {
      this.#runner.listen();
      while (!signal.aborted) await this.#turn(signal);
    } finally {
      this.#requests.close("the daemon has stopped");
      this.#barriers.close("the daemon has stopped");
      await this.#runner.stop();
    }
  }

  request(kind: DaemonRequest, forMs?: number): Promise<void> {
    return this.#requests.add(() => this.#carryOut(kind, forMs ?? null), "ends-loop");
  }

  callBetweenRuns(work: () => void): Promise<void> {
    return this.#requests.add(async () => work(), "rejects");
  }

  whenSynced(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd> {
    return this.#barriers.wait(scope, signal);
  }

  status(): DaemonStatus {
    return this.#runner.status();
  }

  onEvent(listener: (event: DaemonEvent) => void): () => void {
    return this.#publisher.subscribe(listener);
  }

  alive(): number {
    return this.#turnedAt;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    this.#noteTurn();
    const gapMs = this.#sleeper.takeGap();
    if (gapMs !== null) this.#runner.noteGap(gapMs);
    if (await this.#doNext()) this.#barriers.judge();
    else await this.#sleeper.sleep(Math.min(this.#runner.dueAt(), this.#barriers.dueAt()), signal);
  }

  /** Does the most urgent work that is due. Returns false if nothing is due. */
  async #doNext(): Promise<boolean> {
    if (await this.#requests.carryOutFirst()) return true;
    if (this.#barriers.dueAt() <= this.#world.clock.monotonic()) await this.#barriers.scanDue();
    else return this.#runner.turn();
    return true;
  }

  async #carryOut(kind: DaemonRequest, forMs: number | null): Promise<void> {
    if (kind === "pause") return this.#runner.pause(forMs);
    this.#runner.resume();
    return this.#runner.runWhole();
  }

  #noteTurn(): void {
    this.#turnedAt = this.#world.clock.monotonic();
  }
}

/** Sleeps until work is due. Notices if the machine was suspended meanwhile. */
class Sleeper {
  readonly #clock: Clock;
  readonly #timing: DaemonTiming;
  #sleeping: { readonly until: number; readonly ended: AbortController } | null = null;
  #awake = false;
  #oversleptMs = 0;
  /** Milliseconds by which the wall clock is ahead of the monotonic clock. */
  #offset: number;

  constructor(clock: Clock, timing: DaemonTiming) {
    this.#clock = clock;
    this.#timing = timing;
    this.#offset = clock.now() - clock.monotonic();
  }

  /**
   * Sleeps until a time, but at most for `turnMs`. The sleep ends early on an event, on earlier
   * work, or when `signal` aborts.
   */
  async sleep(until: number, signal: AbortSignal): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const ms = Math.min(until - startedAt, this.#timing.turnMs);
    if (this.#awake || ms <= 0) {
      this.#awake = false;
      return;
    }
    const sleepEnd = new AbortController();
    const endSleep = () => sleepEnd.abort();
    signal.addEventListener("abort", endSleep);
    this.#sleeping = { until: startedAt + ms, ended: sleepEnd };
    if (!signal.aborted) await this.#clock.sleep(ms, sleepEnd.signal);
    signal.removeEventListener("abort", endSleep);
    this.#sleeping = null;
    this.#awake = false;
    this.#oversleptMs = this.#clock.monotonic() - startedAt - ms;
  }

  /** Ends the sleep. If the daemon is awake, its next sleep ends immediately. */
  wake(): void {
    this.#awake = true;
    this.#sleeping?.ended.abort();
  }

  /**
   * Ends a sleep that would last beyond `time`. Each file event calls `wakeBy`, so the function
   * must be fast.
   */
  wakeBy(time: number): void {
    if (this.#sleeping !== null && time < this.#sleeping.until) this.#sleeping.ended.abort();
  }

  /**
   * Returns the milliseconds for which the machine or the process was suspended since the last
   * call; null if the time was at most `jumpMs`. If somebody sets the wall clock forward, the
   * result is the same as after a suspension.
   */
  takeGap(): number | null {
    // Both clocks are compared, because the monotonic clock stops on some systems while the machine
    // is suspended, and continues on others.
    const offset = this.#clock.now() - this.#clock.monotonic();
    const gap = Math.max(offset - this.#offset, this.#oversleptMs);
    this.#offset = offset;
    this.#oversleptMs = 0;
    return gap > this.#timing.jumpMs ? gap : null;
  }
}

/**
 * Requests to the daemon. The daemon carries out requests between two runs, in the order of
 * arrival.
 */
class RequestQueue {
  readonly #onRequest: () => void;
  #waiting: { readonly carryOut: () => Promise<void>; readonly reject: (error: Error) => void }[] = [];
  #closedBecause: string | null = null;

  constructor(onRequest: () => void) {
    this.#onRequest = onRequest;
  }

  /**
   * Adds work to the queue. Resolves when the work has ended. Rejects if `work` rejects, or if the
   * queue is closed first.
   * @param onError `ends-loop` if an exception of the work must also end the daemon's loop
   */
  add(work: () => Promise<void>, onError: "ends-loop" | "rejects"): Promise<void> {
    if (this.#closedBecause !== null) return Promise.reject(new Error(this.#closedBecause));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const rejectWork = (error: unknown) => {
      reject(error);
      if (onError === "ends-loop") throw error;
    };
    this.#waiting.push({ carryOut: () => work().then(resolve, rejectWork), reject });
    this.#onRequest();
    return promise;
  }

  /** Carries out the first request. Returns false if the queue is empty. */
  async carryOutFirst(): Promise<boolean> {
    const request = this.#waiting.shift();
    await request?.carryOut();
    return request !== undefined;
  }

  /** Rejects the requests in the queue, and all later requests. */
  close(why: string): void {
    this.#closedBecause = why;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(why));
  }
}
