import type { LocalPath } from "../../../contract/path.ts";
import {
  type AwaitedPath,
  readPathStates,
  type PathOnService,
  scanAwaitedPaths,
  type BarrierScanResult,
} from "../run/barrier.ts";
import type { World } from "../run/world.ts";
import type { BarrierEnd } from "./interface.ts";
import type { Runner } from "./runner.ts";

/** Milliseconds by which a deletion is delayed while a caller waits, as in a `sync`. */
const SECOND_SCAN_MS = 2_000;

/**
 * LIMIT: number of paths that are scanned one by one, because one full scan is faster than many
 * single scans.
 */
const MAX_SINGLE_PATHS = 100;

const NEVER = Number.POSITIVE_INFINITY;

type Barrier = {
  readonly scope: readonly LocalPath[];
  readonly resolve: (end: BarrierEnd) => void;
  readonly reject: (error: Error) => void;
  /** Result of the first scan of the caller's paths; null before that scan. */
  noted: Extract<BarrierScanResult, { kind: "seen" }> | null;
  open: readonly AwaitedPath[];
  dueAt: number;
  /**
   * Paths whose delay ended early because the caller waits. Each delay ends early only once: if the
   * path must wait again, another problem is the cause.
   */
  readonly hastened: Set<LocalPath>;
};

/**
 * Keeps the callers that wait until their local changes are on the service. Scans a caller's paths
 * when no program has changed them for a while, and checks the callers after each run. No polling
 * is needed.
 */
export class Barriers {
  readonly #world: World;
  readonly #runner: Runner;
  readonly #wake: () => void;
  readonly #waiting = new Set<Barrier>();
  #closedBecause: string | null = null;

  constructor(world: World, runner: Runner, wake: () => void) {
    this.#world = world;
    this.#runner = runner;
    this.#wake = wake;
  }

  /**
   * Waits until no path is `waiting`. Ends early if no run will start by itself, because the daemon
   * is paused or a safety check stopped the sync.
   * @param signal when `signal` aborts, the promise resolves with the current state of the paths
   */
  wait(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd> {
    if (this.#closedBecause !== null) return Promise.reject(new Error(this.#closedBecause));
    const { promise, resolve, reject } = Promise.withResolvers<BarrierEnd>();
    const barrier: Barrier = {
      scope,
      resolve,
      reject,
      noted: null,
      open: [],
      dueAt: this.#now(),
      hastened: new Set(),
    };
    this.#waiting.add(barrier);
    const giveUp = () => this.#giveUp(barrier);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    this.#wake();
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  /** Returns the time of the next due scan; infinity if none is due. */
  dueAt(): number {
    if (!this.#isCompared()) return NEVER;
    let earliestAt = NEVER;
    for (const barrier of this.#waiting) earliestAt = Math.min(earliestAt, barrier.dueAt);
    return earliestAt;
  }

  /** Carries out due scans. The daemon calls `scanDue` between two runs. */
  async scanDue(): Promise<void> {
    const dueBarriers = [...this.#waiting].filter(({ dueAt }) => dueAt <= this.#now());
    const newBarriers = dueBarriers.filter(({ noted }) => noted === null);
    for (const barrier of dueBarriers) barrier.dueAt = NEVER;
    if (newBarriers.length > 0) this.#world.links?.forms.begin(false);
    for (const barrier of newBarriers) {
      this.#note(barrier);
      this.#noteSettled(barrier);
    }
    const isAwaited = newBarriers.some(({ open }) => open.length > 0);
    if (newBarriers.length < dueBarriers.length || isAwaited) await this.#runner.scanSettled(isAwaited);
  }

  #noteSettled({ scope, open }: Barrier): void {
    const paths = open.length > MAX_SINGLE_PATHS ? scope : open.map(({ path }) => path);
    for (const path of paths) {
      const isFile = path !== "" && this.#world.disk.look(path).kind === "file";
      this.#runner.runs.dirty.noteSettled(path, !isFile, this.#now());
    }
  }

  /** Resolves the callers whose paths no longer wait. The daemon calls `judge` after each run. */
  judge(): void {
    for (const barrier of this.#waiting) {
      if (barrier.noted === null || barrier.dueAt <= this.#now()) continue;
      const paths = readPathStates(this.#world, barrier.open, this.#isCompared());
      const waitingPaths = paths.filter(({ state }) => state === "waiting");
      const stillWaiting = new Set(waitingPaths.map(({ path }) => path));
      barrier.open = barrier.open.filter(({ path }) => stillWaiting.has(path));
      barrier.dueAt = this.#nextScan(barrier, waitingPaths);
      if (waitingPaths.length === 0 || (barrier.dueAt === NEVER && this.#runner.isStill())) this.#answer(barrier);
    }
  }

  /** Rejects the promises of waiting callers, and of all later callers. */
  close(why: string): void {
    this.#closedBecause = why;
    for (const { reject } of this.#waiting) reject(new Error(why));
    this.#waiting.clear();
  }

  #note(barrier: Barrier): void {
    const scanResult = scanAwaitedPaths(this.#world, barrier.scope, this.#isCompared());
    if (scanResult.kind === "outside") {
      this.#waiting.delete(barrier);
      barrier.resolve(scanResult);
      return;
    }
    barrier.noted = scanResult;
    barrier.open = scanResult.awaited;
  }

  /**
   * The caller has finished writing. Therefore a path that is only delayed because it changed a
   * moment ago is due now.
   */
  #nextScan({ hastened }: Barrier, waiting: readonly PathOnService[]): number {
    const { dirty, deletions, unchangedContents, emptied } = this.#runner.runs;
    const now = this.#now();
    let nextScanAt = NEVER;
    for (const { path, id } of waiting) {
      deletions.hasten(path, now + SECOND_SCAN_MS);
      const mayHasten = !hastened.has(path);
      const hasEndedDelay = mayHasten && (emptied.end(path, now) || (id !== null && unchangedContents.end(id, now)));
      if (hasEndedDelay) {
        hastened.add(path);
        dirty.noteSettled("", true, now);
      }
      // A path that is no longer delayed, but that no run has planned, waits for the next run.
      const settlesAt = dirty.settlesAt(path) ?? NEVER;
      nextScanAt = Math.min(nextScanAt, hasEndedDelay ? now : settlesAt > now ? settlesAt : NEVER);
    }
    return nextScanAt;
  }

  #giveUp(barrier: Barrier): void {
    if (!this.#waiting.has(barrier)) return;
    try {
      if (barrier.noted === null) this.#note(barrier);
      if (this.#waiting.has(barrier)) this.#answer(barrier);
    } catch (error) {
      // Reading the state can fail after the daemon's loop has ended, because another command may
      // have opened the state file.
      this.#waiting.delete(barrier);
      barrier.reject(error as Error);
    }
  }

  #answer(barrier: Barrier): void {
    this.#waiting.delete(barrier);
    const { awaited, documents } = barrier.noted!;
    barrier.resolve({ kind: "judged", paths: readPathStates(this.#world, awaited, this.#isCompared()), documents });
  }

  /**
   * Returns true if base may count as the state of the service. Either a run of this process has
   * compared base with the service, or no run will start.
   */
  #isCompared(): boolean {
    return this.#runner.hasRun() || this.#runner.isStill();
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }
}
