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

type Landing = {
  readonly file: NewFile;
  readonly resolve: (end: DiskOutcome<Written>) => void;
  readonly reject: (error: unknown) => void;
};
type Waiting = { readonly work: () => void; readonly resolve: () => void; readonly reject: (error: unknown) => void };

/**
 * What several steps write at about the same time, in one transaction of the state: a transaction
 * costs more than the rows of a step. Each step waits until its part is committed, so that nothing
 * goes on from what a kill could still take back.
 */
export class Group {
  readonly #state: State;
  readonly #disk: Pick<Disk, "createAll">;
  readonly #clock: Clock;
  #landing: Landing[] = [];
  /**
   * Bursts so far: who waits for one to be full holds its number alone, and none of its texts
   * (I33).
   */
  #bursts = 0;
  #waiting: Waiting[] = [];
  #characters = 0;
  #running = 0;
  #timer: { readonly ends: AbortController; readonly at: number } | null = null;

  constructor(state: State, disk: Pick<Disk, "createAll">, clock: Clock) {
    this.#state = state;
    this.#disk = disk;
    this.#clock = clock;
  }

  /**
   * Runs `work` in the next transaction, with what the other steps ask for.
   * @param characters of the text that is held until then
   * @throws what `work` or the commit throws; then nothing of the whole group was written
   */
  commit(work: () => void, when: keyof typeof LONGEST_MS, characters = 0): Promise<void> {
    const ms = LONGEST_MS[when];
    this.#characters += characters;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#waiting.length >= MOST || this.#characters >= MOST_CHARACTERS) this.#flush();
      else if (this.#timer === null || this.#timer.at > this.#clock.monotonic() + ms) void this.#flushLater(ms);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /**
   * Makes a new file, as `Disk.create`, in one go with those of other steps. Throws what making any
   * of them throws.
   */
  create(file: NewFile): Promise<DiskOutcome<Written>> {
    return new Promise((resolve, reject) => {
      this.#landing.push({ file, resolve, reject });
      if (this.#landing.length >= LANDING.most) this.#land();
      else if (this.#landing.length === 1) void this.#landLater(this.#bursts);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /** Counts a step as long as it runs. */
  async during<T>(step: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await step();
    } finally {
      this.#running--;
      this.#flushIfAll();
    }
  }

  /** After an exception, or the end of the plan: nothing that still waits is written. */
  abandon(): void {
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = null;
    this.#landing = [];
    this.#bursts++;
    this.#waiting = [];
    this.#characters = 0;
  }

  #flush(): void {
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = null;
    const group = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    try {
      this.#state.transact(() => {
        for (const { work } of group) work();
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  #land(): void {
    const burst = this.#landing;
    this.#landing = [];
    this.#bursts++;
    let ends: readonly DiskOutcome<Written>[];
    try {
      ends = this.#disk.createAll(burst.map(({ file }) => file));
    } catch (error) {
      for (const { reject } of burst) reject(error);
      return;
    }
    for (const [n, { resolve }] of burst.entries()) resolve(ends[n]!);
  }

  async #landLater(burst: number): Promise<void> {
    // As below: steps that begin one after the other are one burst.
    await null;
    if (burst === this.#bursts) this.#flushIfAll();
    if (burst !== this.#bursts) return;
    await this.#clock.sleep(LANDING.longestMs);
    if (burst === this.#bursts) this.#land();
  }

  /** When every step waits, nobody else can join. */
  #isLast(): boolean {
    return this.#landing.length + this.#waiting.length >= this.#running;
  }

  #flushIfAll(): void {
    if (!this.#isLast()) return;
    // Their steps go on, and wait for the commit next.
    if (this.#landing.length > 0) this.#land();
    else if (this.#waiting.length > 0) this.#flush();
  }

  /**
   * The last step of all has come to wait: without this, a plan would end with a wait for nobody.
   */
  async #flushInATurn(): Promise<void> {
    await null;
    this.#flushIfAll();
  }

  async #flushLater(ms: number): Promise<void> {
    const { signal } = this.#startTimer(ms);
    // A turn later: steps that begin one after the other are one group.
    await null;
    if (!signal.aborted) this.#flushIfAll();
    if (signal.aborted) return;
    await this.#clock.sleep(ms, signal);
    if (!signal.aborted) this.#flush();
  }

  #startTimer(ms: number): AbortController {
    const ends = new AbortController();
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = { ends, at: this.#clock.monotonic() + ms };
    return ends;
  }
}
