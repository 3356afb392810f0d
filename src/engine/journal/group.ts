import type { Disk, DiskOutcome, NewFile, Written } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { Clock } from "../../ports/world.ts";

/**
 * So many commits make a transaction at most: rows of one go share pages of the indexes, each of
 * which is written once a transaction.
 */
const MOST = 256;
/** LIMIT: so many characters of text wait at most, and what one more commit brings. */
const MOST_CHARACTERS = 4_000_000;
/**
 * So long one of them waits for others, in milliseconds: `soon` where an effect waits for it,
 * `late` where only the end of a step does.
 */
const LONGEST_MS = { soon: 10, late: 250 } as const;
/**
 * New files that are made in one go at most, and how long one waits for others, in milliseconds:
 * what is done once for all is the look at their folders.
 */
const LANDING = { most: 16, longestMs: 5 } as const;
/** Why a wait was ended; without a reason each end would make an exception with a stack. */
const FLUSHED = "flushed";

/**
 * What several steps write at about the same time, in one transaction of the state: a transaction
 * costs more than the rows of a step. Each step waits until its part is committed, so that nothing
 * goes on from what a kill could still take back.
 */
export type Group = {
  /**
   * Runs `work` in the next transaction, with what the other steps ask for.
   * @param characters of the text that is held until then
   * @throws what `work` or the commit throws; then nothing of the whole group was written
   */
  commit(work: () => void, when: keyof typeof LONGEST_MS, characters?: number): Promise<void>;
  /**
   * Makes a new file, as `Disk.create`, in one go with those of other steps. Throws what making any
   * of them throws.
   */
  create(file: NewFile): Promise<DiskOutcome<Written>>;
  /** Counts a step as long as it runs. */
  during<T>(step: () => Promise<T>): Promise<T>;
  /** After an exception, or the end of the plan: nothing that still waits is written. */
  abandon(): void;
};

type Landing = {
  readonly file: NewFile;
  readonly resolve: (end: DiskOutcome<Written>) => void;
  readonly reject: (error: unknown) => void;
};
type Waiting = { readonly work: () => void; readonly resolve: () => void; readonly reject: (error: unknown) => void };

export function openGroup(state: State, disk: Pick<Disk, "createAll">, clock: Clock): Group {
  let landing: Landing[] = [];
  /**
   * Bursts so far: who waits for one to be full holds its number alone, and none of its texts
   * (I33).
   */
  let bursts = 0;
  let waiting: Waiting[] = [];
  let characters = 0;
  let running = 0;
  let timer: { readonly ends: AbortController; readonly at: number } | null = null;

  function flush(): void {
    timer?.ends.abort(FLUSHED);
    timer = null;
    const group = waiting;
    waiting = [];
    characters = 0;
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

  function land(): void {
    const burst = landing;
    landing = [];
    bursts++;
    let ends: readonly DiskOutcome<Written>[];
    try {
      ends = disk.createAll(burst.map(({ file }) => file));
    } catch (error) {
      for (const { reject } of burst) reject(error);
      return;
    }
    for (const [n, { resolve }] of burst.entries()) resolve(ends[n]!);
  }

  async function landLater(burst: number): Promise<void> {
    // As below: steps that begin one after the other are one burst.
    await null;
    if (burst === bursts) flushIfAll();
    if (burst !== bursts) return;
    await clock.sleep(LANDING.longestMs);
    if (burst === bursts) land();
  }

  /** When every step waits, nobody else can join. */
  const isLast = (): boolean => landing.length + waiting.length >= running;

  function flushIfAll(): void {
    if (!isLast()) return;
    // Their steps go on, and wait for the commit next.
    if (landing.length > 0) land();
    else if (waiting.length > 0) flush();
  }

  /**
   * The last step of all has come to wait: without this, a plan would end with a wait for nobody.
   */
  async function flushInATurn(): Promise<void> {
    await null;
    flushIfAll();
  }

  async function flushLater(ms: number): Promise<void> {
    const { signal } = startTimer(ms);
    // A turn later: steps that begin one after the other are one group.
    await null;
    if (!signal.aborted) flushIfAll();
    if (signal.aborted) return;
    await clock.sleep(ms, signal);
    if (!signal.aborted) flush();
  }

  function startTimer(ms: number): AbortController {
    const ends = new AbortController();
    timer?.ends.abort(FLUSHED);
    timer = { ends, at: clock.monotonic() + ms };
    return ends;
  }

  return {
    commit(work, when, held = 0) {
      const ms = LONGEST_MS[when];
      characters += held;
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (waiting.length >= MOST || characters >= MOST_CHARACTERS) flush();
        else if (timer === null || timer.at > clock.monotonic() + ms) void flushLater(ms);
        else if (isLast()) void flushInATurn();
      });
    },
    create(file) {
      return new Promise((resolve, reject) => {
        landing.push({ file, resolve, reject });
        if (landing.length >= LANDING.most) land();
        else if (landing.length === 1) void landLater(bursts);
        else if (isLast()) void flushInATurn();
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
      timer?.ends.abort(FLUSHED);
      timer = null;
      landing = [];
      bursts++;
      waiting = [];
      characters = 0;
    },
  };
}
