import type { Progress } from "../../ports/world.ts";
import { stoppableBy } from "../../model/stoppable.ts";
import type { Watcher } from "../../ports/watch.ts";
import type { RunReport } from "../run/report.ts";
import type { World } from "../run/world.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type BarrierEnd, Barriers } from "./barriers.ts";
import type { Daemon, DaemonOptions, DaemonRequest, DaemonStatus } from "./daemon-types.ts";
import { type DaemonEvent, EventPublisher } from "./events.ts";
import { RequestQueue } from "./request-queue.ts";
import { Runner } from "./runner.ts";
import { Sleeper } from "./sleeper.ts";
import { DEFAULT_TIMING } from "./timing.ts";

/**
 * The daemon of one linked folder. It runs cycles when file events, polls or requests ask for them.
 */

export type { Daemon } from "./daemon-types.ts";
export type { DaemonEvent } from "./events.ts";
export type { DaemonTiming } from "./timing.ts";
export type { BarrierEnd } from "./barriers.ts";

export function createDaemon(world: World, watcher: Watcher, options: DaemonOptions): Daemon {
  return new DaemonLoop(world, watcher, options);
}

export type CreateDaemon = typeof createDaemon;

/**
 * The loop of the daemon: sleeps until something is due, then does it. It reads no clock but the
 * world's.
 */
class DaemonLoop implements Daemon {
  readonly #world: World;
  readonly #publisher: EventPublisher;
  readonly #sleeper: Sleeper;
  readonly #requests: RequestQueue;
  readonly #runner: Runner;
  readonly #barriers: Barriers;
  /** Aborted with the signal of `run`. The executor then starts no more steps. */
  readonly #stop = new AbortController();
  #turnedAt: number;
  #started = false;

  constructor(given: World, watcher: Watcher, { settings, timing: times, news }: DaemonOptions) {
    const { clock, state, progress } = given;
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
    const stoppable = stoppableBy(this.#stop.signal);
    this.#world = { ...given, onEvent, progress: { report, step }, stoppable };
    this.#sleeper = new Sleeper(clock, timing);
    this.#requests = new RequestQueue(() => this.#sleeper.wake());
    this.#runner = new Runner({
      world: this.#world,
      watcher,
      news: news ?? null,
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

  request(kind: DaemonRequest): Promise<RunReport> {
    return this.#requests.request(kind);
  }

  exclusive<T>(work: (world: World) => T | Promise<T>): Promise<T> {
    return this.#requests.exclusive(work);
  }

  whenThere(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd> {
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
    const gap = this.#sleeper.takeGap();
    if (gap !== null) this.#runner.noteGap(gap);
    if (await this.#doNext()) this.#barriers.judge();
    else await this.#sleeper.sleep(Math.min(this.#runner.dueAt(), this.#barriers.dueAt()), signal);
  }

  /** @returns whether something was due */
  async #doNext(): Promise<boolean> {
    if (!this.#requests.isEmpty()) await this.#answerRequests();
    else if (this.#barriers.dueAt() <= this.#world.clock.monotonic()) await this.#barriers.look();
    else return this.#runner.turn();
    return true;
  }

  async #answerRequests(): Promise<void> {
    const waiting: ((report: RunReport) => void)[] = [];
    let retryRefused = false;
    for (const request of this.#requests.take()) {
      switch (request.kind) {
        case "exclusive":
          this.#world.links?.begin(false);
          await request.work(this.#world);
          this.#runner.lookAtAll();
          break;
        case "pause":
          request.resolve(this.#runner.pause());
          break;
        default:
          if (request.kind === "resume") this.#runner.resume();
          retryRefused ||= request.kind === "sync";
          waiting.push(request.resolve);
      }
    }
    if (waiting.length === 0) return;
    const report = await this.#runner.runWhole(retryRefused);
    for (const resolve of waiting) resolve(report);
  }

  #noteTurn(): void {
    this.#turnedAt = this.#world.clock.monotonic();
  }
}
