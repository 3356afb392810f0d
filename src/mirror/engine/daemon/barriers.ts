import type { LocalPath } from "../../../contract/path.ts";
import { type Awaited, judgeBarrier, type PathLive, sightBarrier, type Sighted } from "../run/barrier.ts";
import type { World } from "../run/world.ts";
import type { Runs } from "./runs.ts";

/** How a barrier ended: by what was sighted, and how that stands. */
export type BarrierEnd =
  | Extract<Sighted, { kind: "outside" }>
  | { readonly kind: "judged"; readonly paths: readonly PathLive[]; readonly documents: number };

type Loop = {
  readonly runs: Runs;
  /**
   * Judges what has settled. Does nothing while paused, nor while a failed attempt waits to be
   * repeated, unless `first`.
   */
  lookNow(first: boolean): Promise<void>;
  /** Whether no run comes by itself that could carry anything: paused, or halted. */
  isStill(): boolean;
  /** Whether a run has ended since the daemon began. */
  hasRun(): boolean;
};

/**
 * How long the deletion that somebody waits for is away before it is sent: as long as the two looks
 * of `sync` are apart.
 */
const SECOND_LOOK_MS = 2_000;

/** LIMIT: up to so many paths are looked at one by one; more, with all that was asked for. */
const ONE_BY_ONE = 100;

const NEVER = Number.POSITIVE_INFINITY;

/** One caller that waits. */
type Barrier = {
  readonly scope: readonly LocalPath[];
  readonly resolve: (end: BarrierEnd) => void;
  readonly reject: (error: Error) => void;
  /** null: not looked yet. */
  sighted: Extract<Sighted, { kind: "seen" }> | null;
  /** What of it is not on the service yet. */
  open: readonly Awaited[];
  /** When something of it will have settled, by the monotonic clock. */
  dueAt: number;
  /**
   * What was sent before its rest was over, because somebody waits. Once each: what must rest anew
   * after that was not sent for another reason, and would be tried without end.
   */
  readonly hastened: Set<LocalPath>;
};

/**
 * The callers that wait until what is on disk is on the service. Each look is made when a path has
 * settled, and each judgement after a run: nothing is asked again and again.
 */
export class Barriers {
  readonly #world: World;
  readonly #loop: Loop;
  readonly #wake: () => void;
  readonly #waiting = new Set<Barrier>();
  #closedBecause: string | null = null;

  /** @param wake lets the loop turn */
  constructor(world: World, loop: Loop, wake: () => void) {
    this.#world = world;
    this.#loop = loop;
    this.#wake = wake;
  }

  /** @param signal when it aborts, the answer is how the paths stand then */
  wait(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd> {
    if (this.#closedBecause !== null) return Promise.reject(new Error(this.#closedBecause));
    const { promise, resolve, reject } = Promise.withResolvers<BarrierEnd>();
    const barrier: Barrier = {
      scope,
      resolve,
      reject,
      sighted: null,
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

  /** When a look is due; infinity: none is. */
  dueAt(): number {
    if (!this.#isCompared()) return NEVER;
    let due = NEVER;
    for (const barrier of this.#waiting) due = Math.min(due, barrier.dueAt);
    return due;
  }

  /** Makes the looks that are due, between two runs of the loop. */
  async look(): Promise<void> {
    const due = [...this.#waiting].filter(({ dueAt }) => dueAt <= this.#now());
    const fresh = due.filter(({ sighted }) => sighted === null);
    for (const barrier of due) barrier.dueAt = NEVER;
    if (fresh.length > 0) this.#world.links?.begin(false);
    for (const barrier of fresh) {
      this.#sight(barrier);
      this.#noteSettled(barrier);
    }
    const isAwaited = fresh.some(({ open }) => open.length > 0);
    if (fresh.length < due.length || isAwaited) await this.#loop.lookNow(isAwaited);
  }

  #noteSettled({ scope, open }: Barrier): void {
    const paths = open.length > ONE_BY_ONE ? scope : open.map(({ path }) => path);
    for (const path of paths) {
      const isFile = path !== "" && this.#world.disk.look(path).kind === "file";
      this.#loop.runs.dirty.noteSettled(path, !isFile, this.#now());
    }
  }

  /** After a run: answers those of which nothing waits any more. */
  judge(): void {
    for (const barrier of this.#waiting) {
      if (barrier.sighted === null || barrier.dueAt <= this.#now()) continue;
      const paths = judgeBarrier(this.#world, barrier.open, this.#isCompared());
      const waiting = paths.filter(({ state }) => state === "waiting");
      barrier.open = barrier.open.filter(({ path }) => waiting.some((one) => one.path === path));
      barrier.dueAt = this.#nextLook(barrier, waiting);
      if (waiting.length === 0 || (barrier.dueAt === NEVER && this.#loop.isStill())) this.#answer(barrier);
    }
  }

  /** Takes no more callers, and refuses those that wait. */
  close(why: string): void {
    this.#closedBecause = why;
    for (const { reject } of this.#waiting) reject(new Error(why));
    this.#waiting.clear();
  }

  #sight(barrier: Barrier): void {
    const sighted = sightBarrier(this.#world, barrier.scope, this.#isCompared());
    if (sighted.kind === "outside") {
      this.#waiting.delete(barrier);
      barrier.resolve(sighted);
      return;
    }
    barrier.sighted = sighted;
    barrier.open = sighted.awaited;
  }

  /**
   * When to look at what waits. What would only rest for a while goes on at once: whoever waits for
   * it has finished with it.
   */
  #nextLook({ hastened }: Barrier, waiting: readonly PathLive[]): number {
    const { dirty, deletions, quietTexts, emptied } = this.#loop.runs;
    const now = this.#now();
    let next = NEVER;
    for (const { path, id } of waiting) {
      deletions.hasten(path, now + SECOND_LOOK_MS);
      const mayHasten = !hastened.has(path);
      const ended = mayHasten && (emptied.end(path, now) || (id !== null && quietTexts.end(id, now)));
      if (ended) {
        hastened.add(path);
        dirty.noteSettled("", true, now);
      }
      // What has settled and was not taken waits for a run that comes by itself.
      const settlesAt = dirty.settlesAt(path) ?? NEVER;
      next = Math.min(next, ended ? now : settlesAt > now ? settlesAt : NEVER);
    }
    return next;
  }

  #giveUp(barrier: Barrier): void {
    if (!this.#waiting.has(barrier)) return;
    try {
      if (barrier.sighted === null) this.#sight(barrier);
      if (this.#waiting.has(barrier)) this.#answer(barrier);
    } catch (error) {
      // Not within the loop: a command that has borrowed the folder may hold the state just now.
      this.#waiting.delete(barrier);
      barrier.reject(error as Error);
    }
  }

  #answer(barrier: Barrier): void {
    this.#waiting.delete(barrier);
    const { awaited, documents } = barrier.sighted!;
    barrier.resolve({ kind: "judged", paths: judgeBarrier(this.#world, awaited, this.#isCompared()), documents });
  }

  /** Base is of an earlier process until a run has compared it with the service; or none will. */
  #isCompared(): boolean {
    return this.#loop.hasRun() || this.#loop.isStill();
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }
}
