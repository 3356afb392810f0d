import type { State } from "../core/ports/state.ts";
import type { Clock } from "../core/ports/world.ts";

/** So many commits make a transaction at most. */
const MOST = 64;
/** So long the first of them waits for others, in milliseconds. */
const LONGEST_MS = 10;
/** Why a wait was ended; without a reason each end would make an exception with a stack. */
const FLUSHED = "flushed";

/**
 * What several steps write at about the same time, in one transaction of the state: a transaction costs more than the rows of a step. Each step waits until its
 * part is committed, so that nothing goes on from what a kill could still take back.
 */
export type Group = {
  /** Runs `work` in the next transaction, with what the other steps ask for. @throws what `work` or the commit throws; then nothing of the whole group was written */
  commit(work: () => void): Promise<void>;
  /** Counts a step as long as it runs. */
  during<T>(step: () => Promise<T>): Promise<T>;
  /** After an exception, or the end of the plan: nothing that still waits is written. */
  abandon(): void;
};

type Waiting = { readonly work: () => void; readonly resolve: () => void; readonly reject: (error: unknown) => void };

export function openGroup(state: State, clock: Clock): Group {
  let waiting: Waiting[] = [];
  let running = 0;
  let timer: AbortController | null = null;

  function flush(): void {
    timer?.abort(FLUSHED);
    timer = null;
    const group = waiting;
    waiting = [];
    try {
      state.transact(() => {
        for (const { work } of group) work();
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  /** When every step waits, nobody else can join. */
  function flushIfAll(): void {
    if (waiting.length > 0 && waiting.length >= running) flush();
  }

  async function flushLater(): Promise<void> {
    const mine = new AbortController();
    timer = mine;
    // A turn later: steps that begin one after the other are one group.
    await null;
    if (!mine.signal.aborted) flushIfAll();
    if (mine.signal.aborted) return;
    await clock.sleep(LONGEST_MS, mine.signal);
    if (!mine.signal.aborted) flush();
  }

  return {
    commit(work) {
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length >= MOST) flush();
        else if (timer === null) void flushLater();
      });
    },
    async during(step) {
      running++;
      try {
        return await step();
      } finally {
        running--;
        flushIfAll();
      }
    },
    abandon() {
      timer?.abort(FLUSHED);
      timer = null;
      waiting = [];
    },
  };
}
