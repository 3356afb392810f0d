import type { Disk } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { Clock } from "../../../common/clock.ts";

/**
 * LIMIT: number of milliseconds that a commit waits for commits of other steps. An effect waits for
 * its `soon` commit. No effect waits for a `late` commit, at the end of a step, so it may wait
 * longer.
 */
const MAX_WAIT_MS = { soon: 10, late: 250 } as const;
/**
 * LIMIT: number of commits in one transaction. More commits would save time, because rows in one
 * transaction share index pages. But a step sends nothing while it waits for its commit, and the
 * other steps must keep the service busy. Therefore fewer than half of the parallel steps
 * (`MAX_PARALLEL_STEPS`) may wait for one transaction.
 */
const MAX_COMMITS = 16;
/**
 * LIMIT: number of characters of all waiting commits, so that memory stays bounded. The commit that
 * exceeds the limit still belongs to the transaction.
 */
const MAX_CHARACTERS = 4_000_000;
/**
 * Reason for aborting the timer of waiting commits. Without a reason, each abort would create an
 * exception with a stack, which is slow.
 */
const FLUSHED_REASON = "flushed";

type PendingCommit = {
  readonly work: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A call that reads or creates one file. `run` returns a function that passes the result to the
 * caller.
 */
type FileCall = { readonly run: () => () => void; readonly reject: (error: unknown) => void };

/**
 * Combines the writes of several steps into one transaction, because a transaction takes longer
 * than the few rows of a step. Each step waits until its rows are committed. Therefore a crash
 * never reverts a change on which another step depends.
 */
export class CommitGroup {
  readonly #state: State;
  readonly #clock: Clock;
  readonly #disk: Pick<Disk, "shareFolders">;
  #calls: FileCall[] = [];
  #pending: PendingCommit[] = [];
  #characters = 0;
  #running = 0;
  #timer: { readonly abort: AbortController; readonly flushAt: number } | null = null;

  constructor(state: State, disk: Pick<Disk, "shareFolders">, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
    this.#disk = disk;
  }

  /**
   * Runs `work` in the next transaction, together with the work of other steps.
   * @param characters length of the content that stays in memory until the transaction
   * @throws exceptions of `work` or of the commit; nothing of the transaction is then written
   */
  commit(work: () => void, when: keyof typeof MAX_WAIT_MS, characters = 0): Promise<void> {
    const ms = MAX_WAIT_MS[when];
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      this.#characters += characters;
      if (this.#pending.length >= MAX_COMMITS || this.#characters >= MAX_CHARACTERS) this.#flush();
      else if (this.#timer === null || this.#timer.flushAt > this.#clock.monotonic() + ms) void this.#flushLater(ms);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /**
   * Calls a function that creates or reads one file, together with the functions of other steps.
   * Each folder is then checked only once. Most files of a plan are in few folders, and checking a
   * folder takes longer than reading a file. If one function throws, all callers get the exception.
   */
  runTogether<T>(call: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const value = call();
        return () => resolve(value);
      };
      if (this.#calls.push({ run, reject }) === 1) void this.#callInATurn();
    });
  }

  async #callInATurn(): Promise<void> {
    await null;
    const pendingCalls = this.#calls;
    this.#calls = [];
    try {
      for (const report of this.#disk.shareFolders(() => pendingCalls.map(({ run }) => run()))) report();
    } catch (error) {
      for (const { reject } of pendingCalls) reject(error);
    }
  }

  /**
   * Runs a step and counts it, so that the group knows when no other step can join a transaction.
   */
  async during<T>(step: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await step();
    } finally {
      this.#running--;
      this.#flushIfAll();
    }
  }

  /**
   * Drops the waiting commits after an exception, or at the end of a plan. The promises of these
   * commits never settle.
   */
  abandon(): void {
    this.#endTimer();
    this.#calls = [];
    this.#take();
  }

  #take(): readonly PendingCommit[] {
    const pendingCommits = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    return pendingCommits;
  }

  #flush(): void {
    this.#endTimer();
    const pendingCommits = this.#take();
    try {
      this.#state.transact(() => {
        for (const { work } of pendingCommits) work();
      });
    } catch (error) {
      for (const { reject } of pendingCommits) reject(error);
      return;
    }
    for (const { resolve } of pendingCommits) resolve();
  }

  #endTimer(): void {
    this.#timer?.abort.abort(FLUSHED_REASON);
    this.#timer = null;
  }

  #isLast(): boolean {
    return this.#pending.length >= this.#running;
  }

  #flushIfAll(): void {
    if (this.#pending.length > 0 && this.#isLast()) this.#flush();
  }

  /**
   * Commits if all steps wait for a commit. Otherwise the last steps of a plan would wait for the
   * longest delay, although no other step can join.
   */
  async #flushInATurn(): Promise<void> {
    await null;
    this.#flushIfAll();
  }

  async #flushLater(ms: number): Promise<void> {
    const { signal } = this.#startTimer(ms);
    // Steps that start together belong to one transaction. Therefore the flush waits for the other
    // steps of this turn of the event loop.
    await null;
    if (!signal.aborted) this.#flushIfAll();
    if (signal.aborted) return;
    await this.#clock.sleep(ms, signal);
    if (!signal.aborted) this.#flush();
  }

  #startTimer(ms: number): AbortController {
    const controller = new AbortController();
    this.#timer?.abort.abort(FLUSHED_REASON);
    this.#timer = { abort: controller, flushAt: this.#clock.monotonic() + ms };
    return controller;
  }
}
