import type { LocalPath } from "../../model/path.ts";
import type { Disk, DiskOutcome, LocalText, Made, MadeFile, NewFile } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { Clock } from "../../ports/world.ts";
import type { CreatedRows, RowWriter } from "../../ports/row-writer.ts";
import { PendingCommits } from "./pending-commits.ts";

/**
 * How long a commit waits for others at most, in milliseconds. `soon`: an effect waits for it;
 * `late`: only the end of a step does; `afterwards`: nothing does.
 */
const LONGEST_MS = { soon: 10, late: 250, afterwards: 500 } as const;
/**
 * Most new files that are made together, and how long one waits for others, in milliseconds. What
 * they save is looking at their folders more than once, and waking the thread that makes them: on
 * few cores it takes the place of who wakes it. Their steps end together, so that the next requests
 * fill a batch.
 */
const LANDING = { most: 64, longestMs: 15 } as const;
/**
 * The reason with which a wait is aborted: without one, each abort would build an exception with
 * its stack.
 */
const FLUSHED = "flushed";

type GroupDisk = Pick<Disk, "createAll" | "read" | "together">;
type Landing = {
  readonly file: NewFile;
  readonly resolve: (made: MadeFile) => void;
  readonly reject: (error: unknown) => void;
};
type Reading = {
  readonly path: LocalPath;
  readonly resolve: (read: DiskOutcome<LocalText>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Joins what several steps write at about the same time into one transaction of the state, because
 * a transaction costs more than the rows of a step. Each step waits until its part is committed, so
 * that no step goes on from something that a kill could take back.
 */
export class Group {
  readonly #disk: GroupDisk;
  readonly #clock: Clock;
  #landing: Landing[] = [];
  #reading: Reading[] = [];
  /**
   * Number of the present burst. Who waits for its end holds this number only, and none of its
   * texts (I33).
   */
  #bursts = 0;
  /** Ends the wait for more of the present burst; null: nothing waits. */
  #awaitsMore: AbortController | null = null;
  readonly #commits: PendingCommits;
  #running = 0;
  #timer: { readonly ends: AbortController; readonly at: number } | null = null;

  constructor(state: State, disk: GroupDisk, clock: Clock) {
    this.#commits = new PendingCommits(state);
    this.#disk = disk;
    this.#clock = clock;
  }

  /**
   * Runs `work` in the next transaction, together with that of other steps.
   * @param characters of the text that is held until then
   * @throws what `work` or the commit throws; then nothing of the whole group was written
   */
  commit(work: () => void, when: "soon" | "late", characters = 0): Promise<void> {
    const ms = LONGEST_MS[when];
    return new Promise((resolve, reject) => {
      this.#commits.add({ work, resolve, reject }, characters);
      if (this.#commits.isFull) this.#flush(false);
      else if (this.#timer === null || this.#timer.at > this.#clock.monotonic() + ms) void this.#flushLater(ms);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /** From now on what no step waits for is written by another thread. */
  writeAside(writer: RowWriter): void {
    this.#commits.writeAside(writer);
  }

  /**
   * Writes in one of the next transactions, in any order, for a step that ends without it: nothing
   * else of the plan builds on it.
   * @param characters of the text that is held until then
   * @returns to be waited for before the step ends, so that not too many wait; null: not to be
   * @throws what an earlier one threw; `settle` throws what the last ones do
   */
  commitAfterwards(rows: CreatedRows, characters = 0): Promise<void> | null {
    this.#commits.throwFault();
    this.#commits.addAfterwards(rows, characters);
    if (this.#commits.isFull) this.#flush(false);
    else if (this.#timer === null) void this.#flushLater(LONGEST_MS.afterwards);
    return this.#commits.room;
  }

  /** Writes what waits still. @throws what it, or anything before that nobody waited for, threw */
  async settle(): Promise<void> {
    this.#endTimer();
    await this.#commits.settle();
  }

  /**
   * Makes a new file as `Disk.create` does, together with those of other steps. Throws what making
   * any of them throws.
   */
  create(file: NewFile): Promise<MadeFile> {
    return new Promise((resolve, reject) => {
      this.#landing.push({ file, resolve, reject });
      if (this.#landing.length >= LANDING.most) this.#land();
      else if (this.#landing.length === 1) void this.#landLater(this.#bursts);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /**
   * Reads a file as `Disk.read` does, together with those of steps that begin at the same time:
   * these mostly share a folder, and looking at that takes longer than reading. Throws what reading
   * any of them throws.
   */
  read(path: LocalPath): Promise<DiskOutcome<LocalText>> {
    return new Promise((resolve, reject) => {
      if (this.#reading.push({ path, resolve, reject }) === 1) void this.#readInATurn();
    });
  }

  /** Runs a step, and counts it as running meanwhile. */
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
   * Drops what still waits: called after an exception, and at the end of the plan. Resolves when no
   * other thread has the state open.
   */
  async abandon(): Promise<void> {
    this.#endTimer();
    this.#endBurst();
    this.#reading = [];
    await this.#commits.abandon();
  }

  #flush(isDue: boolean): void {
    this.#endTimer();
    this.#commits.write(isDue);
    // While another thread writes, and of few for which no step waits, some are left.
    if (!this.#commits.isEmpty) void this.#flushLater(LONGEST_MS.afterwards);
  }

  #endTimer(): void {
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = null;
  }

  #land(): void {
    const burst = this.#endBurst();
    const files = burst.map(({ file }) => file);
    // Without the files: while another thread makes them, nobody here holds their texts.
    const waiting = burst.map(({ resolve, reject }) => ({ resolve, reject }));
    const settle = (made: Made) => {
      for (const [n, { resolve }] of waiting.entries()) resolve(made[n]!);
    };
    const fail = (error: unknown) => {
      for (const { reject } of waiting) reject(error);
    };
    try {
      const made = this.#disk.createAll(files);
      if (made instanceof Promise) made.then(settle, fail);
      else settle(made);
    } catch (error) {
      fail(error);
    }
  }

  #endBurst(): readonly Landing[] {
    const burst = this.#landing;
    this.#landing = [];
    this.#bursts++;
    this.#awaitsMore?.abort(FLUSHED);
    this.#awaitsMore = null;
    return burst;
  }

  async #readInATurn(): Promise<void> {
    await null;
    const burst = this.#reading;
    this.#reading = [];
    try {
      const found = this.#disk.together(() => burst.map(({ path }) => this.#disk.read(path)));
      for (const [n, { resolve }] of burst.entries()) resolve(found[n]!);
    } catch (error) {
      for (const { reject } of burst) reject(error);
    }
  }

  async #landLater(burst: number): Promise<void> {
    // Steps that begin one after the other belong to one burst, as in `#flushInATurn`.
    await null;
    if (burst === this.#bursts) this.#flushIfAll();
    if (burst !== this.#bursts) return;
    this.#awaitsMore = new AbortController();
    await this.#clock.sleep(LANDING.longestMs, this.#awaitsMore.signal);
    if (burst === this.#bursts) this.#land();
  }

  /** Whether every running step waits here, so that no other can join. */
  #isLast(): boolean {
    return this.#landing.length + this.#commits.awaited >= this.#running;
  }

  #flushIfAll(): void {
    if (!this.#isLast()) return;
    // The steps of these files go on and then wait for a commit.
    if (this.#landing.length > 0) this.#land();
    else if (this.#commits.isWaitedFor) this.#flush(false);
  }

  /** Flushes when the last running step waits: otherwise a plan would end by waiting for nobody. */
  async #flushInATurn(): Promise<void> {
    await null;
    this.#flushIfAll();
  }

  async #flushLater(ms: number): Promise<void> {
    const { signal } = this.#startTimer(ms);
    // One turn later, because steps that begin one after the other belong to one group.
    await null;
    if (!signal.aborted) this.#flushIfAll();
    if (signal.aborted) return;
    await this.#clock.sleep(ms, signal);
    if (!signal.aborted) this.#flush(true);
  }

  #startTimer(ms: number): AbortController {
    const ends = new AbortController();
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = { ends, at: this.#clock.monotonic() + ms };
    return ends;
  }
}
