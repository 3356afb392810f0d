import type { LocalPath } from "../../../contract/path.ts";
import { type AwaitedPath, judgeBarrier, type PathOnService, noteLocalState, type NotedPaths } from "../run/barrier.ts";
import type { World } from "../run/world.ts";
import type { BarrierEnd } from "./daemon-types.ts";
import type { Runner } from "./runner.ts";

/**
 * Time for which a deleted file must be absent before the deletion is sent, if a caller waits for
 * it. It equals the time between the two scans of `sync`.
 */
const SECOND_SCAN_MS = 2_000;

/**
 * LIMIT: number of paths that are scanned one by one; beyond it, the daemon scans all files and
 * folders of the caller's request.
 */
const MAX_SINGLE_PATHS = 100;

const NEVER = Number.POSITIVE_INFINITY;

/** A caller of `wait`, with the paths that it waits for. */
type Barrier = {
  readonly scope: readonly LocalPath[];
  readonly resolve: (end: BarrierEnd) => void;
  readonly reject: (error: Error) => void;
  /** The paths as the scan found them; null before the scan. */
  noted: Extract<NotedPaths, { kind: "seen" }> | null;
  /** The paths that are not on the service yet. */
  open: readonly AwaitedPath[];
  /** Monotonic time of the next scan; infinity: none is due. */
  dueAt: number;
  /**
   * Paths that were sent before their delay was over, because a caller waits. Each path is sent
   * early only once: if the path still has to wait, something else prevented the upload, and
   * sending it early again would never end.
   */
  readonly hastened: Set<LocalPath>;
};

/**
 * Keeps the callers that wait until their local changes are on the service. Scans when a path has
 * been unchanged for long enough, and checks after each run, so it needs no polling.
 */
export class Barriers {
  readonly #world: World;
  readonly #runner: Runner;
  readonly #wake: () => void;
  readonly #waiting = new Set<Barrier>();
  #closedBecause: string | null = null;

  /** @param wake wakes the loop */
  constructor(world: World, runner: Runner, wake: () => void) {
    this.#world = world;
    this.#runner = runner;
    this.#wake = wake;
  }

  /**
   * Waits until no path is `waiting`, or until no run will start by itself: the daemon is paused,
   * or a safety check stopped it.
   * @param signal when the signal aborts, the promise resolves with the current state of the paths
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

  /** Returns when a scan is due; infinity means never. */
  dueAt(): number {
    if (!this.#isCompared()) return NEVER;
    let due = NEVER;
    for (const barrier of this.#waiting) due = Math.min(due, barrier.dueAt);
    return due;
  }

  /** Makes the scans that are due. Called between two runs. */
  async scanDue(): Promise<void> {
    const due = [...this.#waiting].filter(({ dueAt }) => dueAt <= this.#now());
    const fresh = due.filter(({ noted }) => noted === null);
    for (const barrier of due) barrier.dueAt = NEVER;
    if (fresh.length > 0) this.#world.links?.forms.begin(false);
    for (const barrier of fresh) {
      this.#note(barrier);
      this.#noteSettled(barrier);
    }
    const isAwaited = fresh.some(({ open }) => open.length > 0);
    if (fresh.length < due.length || isAwaited) await this.#runner.scanSettled(isAwaited);
  }

  #noteSettled({ scope, open }: Barrier): void {
    const paths = open.length > MAX_SINGLE_PATHS ? scope : open.map(({ path }) => path);
    for (const path of paths) {
      const isFile = path !== "" && this.#world.disk.look(path).kind === "file";
      this.#runner.runs.dirty.noteSettled(path, !isFile, this.#now());
    }
  }

  /**
   * Answers the callers whose paths need no more waiting, and those whose paths no run will upload.
   * Called after each run.
   */
  judge(): void {
    for (const barrier of this.#waiting) {
      if (barrier.noted === null || barrier.dueAt <= this.#now()) continue;
      const paths = judgeBarrier(this.#world, barrier.open, this.#isCompared());
      const waiting = paths.filter(({ state }) => state === "waiting");
      barrier.open = barrier.open.filter(({ path }) => waiting.some((other) => other.path === path));
      barrier.dueAt = this.#nextScan(barrier, waiting);
      if (waiting.length === 0 || (barrier.dueAt === NEVER && this.#runner.isStill())) this.#answer(barrier);
    }
  }

  /** Rejects the waiting callers and all later ones. */
  close(why: string): void {
    this.#closedBecause = why;
    for (const { reject } of this.#waiting) reject(new Error(why));
    this.#waiting.clear();
  }

  #note(barrier: Barrier): void {
    const noted = noteLocalState(this.#world, barrier.scope, this.#isCompared());
    if (noted.kind === "outside") {
      this.#waiting.delete(barrier);
      barrier.resolve(noted);
      return;
    }
    barrier.noted = noted;
    barrier.open = noted.awaited;
  }

  /**
   * Returns the time of the next scan of the waiting paths. A path that waits only for its file to
   * stay unchanged is due now, because the caller has finished writing.
   */
  #nextScan({ hastened }: Barrier, waiting: readonly PathOnService[]): number {
    const { dirty, deletions, unchangedContents, emptied } = this.#runner.runs;
    const now = this.#now();
    let next = NEVER;
    for (const { path, id } of waiting) {
      deletions.hasten(path, now + SECOND_SCAN_MS);
      const mayHasten = !hastened.has(path);
      const ended = mayHasten && (emptied.end(path, now) || (id !== null && unchangedContents.end(id, now)));
      if (ended) {
        hastened.add(path);
        dirty.noteSettled("", true, now);
      }
      // A path that was unchanged for long enough, but was not planned, waits for the next run.
      const settlesAt = dirty.settlesAt(path) ?? NEVER;
      next = Math.min(next, ended ? now : settlesAt > now ? settlesAt : NEVER);
    }
    return next;
  }

  #giveUp(barrier: Barrier): void {
    if (!this.#waiting.has(barrier)) return;
    try {
      if (barrier.noted === null) this.#note(barrier);
      if (this.#waiting.has(barrier)) this.#answer(barrier);
    } catch (error) {
      // After the daemon's loop has ended, a command may have the state file open.
      this.#waiting.delete(barrier);
      barrier.reject(error as Error);
    }
  }

  #answer(barrier: Barrier): void {
    this.#waiting.delete(barrier);
    const { awaited, documents } = barrier.noted!;
    barrier.resolve({ kind: "judged", paths: judgeBarrier(this.#world, awaited, this.#isCompared()), documents });
  }

  /**
   * Returns true if base may count as the service's state: this process has compared the two in a
   * run, or starts no run at present.
   */
  #isCompared(): boolean {
    return this.#runner.hasRun() || this.#runner.isStill();
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }
}
