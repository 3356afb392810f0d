import type { LocalPath } from "../../../contract/path.ts";
import type { Disk, DiskOutcome, LocalText, NewFile, Written } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import type { Clock } from "../../../common/clock.ts";

/**
 * LIMIT: milliseconds that a commit waits for others. `soon`: an effect waits for this commit;
 * `late`: only the end of a step does.
 */
const LONGEST_MS = { soon: 10, late: 250 } as const;
/**
 * Most commits in one transaction. Rows that are written together share pages of the indexes; but
 * steps that wait for their commit send nothing, and the others must keep the service busy.
 */
const MOST_COMMITS = 32;
/**
 * LIMIT: characters of content that wait for one transaction, apart from those of the commit that
 * exceeds it.
 */
const MOST_CHARACTERS = 4_000_000;
/**
 * The reason with which a wait is aborted. Without a reason, each abort would create an exception
 * with its stack.
 */
const FLUSHED = "flushed";

type Waiting<T> = { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void };
type Pending = Waiting<void> & { readonly work: () => void };

/** Joins calls of the same moment: those made before pending callbacks have run. */
class Burst<Asked, Value> {
  readonly #perform: (asked: readonly Asked[]) => readonly Value[];
  #waiting: (Waiting<Value> & { readonly asked: Asked })[] = [];

  constructor(perform: (asked: readonly Asked[]) => readonly Value[]) {
    this.#perform = perform;
  }

  add(asked: Asked): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ asked, resolve, reject }) === 1) void this.#endInATurn();
    });
  }

  drop(): void {
    this.#waiting = [];
  }

  async #endInATurn(): Promise<void> {
    await null;
    const burst = this.#waiting;
    this.#waiting = [];
    if (burst.length === 0) return;
    try {
      const values = this.#perform(burst.map(({ asked }) => asked));
      for (const [n, { resolve }] of burst.entries()) resolve(values[n]!);
    } catch (error) {
      for (const { reject } of burst) reject(error);
    }
  }
}

/**
 * Joins the writes of several steps into one transaction, because a transaction costs more than the
 * rows of a step. Each step waits until its part is committed, so that no step continues from
 * something that a kill could revert.
 */
export class Group {
  readonly #state: State;
  readonly #clock: Clock;
  readonly #creations: Burst<NewFile, DiskOutcome<Written>>;
  readonly #readings: Burst<LocalPath, DiskOutcome<LocalText>>;
  #pending: Pending[] = [];
  #characters = 0;
  #running = 0;
  #timer: { readonly ends: AbortController; readonly at: number } | null = null;

  constructor(state: State, disk: Pick<Disk, "createAll" | "read" | "together">, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
    this.#creations = new Burst((files) => disk.createAll(files));
    this.#readings = new Burst((paths) => disk.together(() => paths.map((path) => disk.read(path))));
  }

  /**
   * Runs `work` in the next transaction, together with that of other steps.
   * @param characters of the content that is held until then
   * @throws what `work` or the commit throws; then nothing of the whole group was written
   */
  commit(work: () => void, when: keyof typeof LONGEST_MS, characters = 0): Promise<void> {
    const ms = LONGEST_MS[when];
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      this.#characters += characters;
      if (this.#pending.length >= MOST_COMMITS || this.#characters >= MOST_CHARACTERS) this.#flush();
      else if (this.#timer === null || this.#timer.at > this.#clock.monotonic() + ms) void this.#flushLater(ms);
      else if (this.#isLast()) void this.#flushInATurn();
    });
  }

  /**
   * Creates a file as `Disk.create` does, together with those of other steps, which mostly share a
   * folder. Throws what creating any of them throws.
   */
  create(file: NewFile): Promise<DiskOutcome<Written>> {
    return this.#creations.add(file);
  }

  /**
   * Reads a file as `Disk.read` does, together with those of steps that start at the same time.
   * They mostly share a folder, and checking that takes longer than reading. Throws what reading
   * any of them throws.
   */
  read(path: LocalPath): Promise<DiskOutcome<LocalText>> {
    return this.#readings.add(path);
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

  /** Drops the waiting writes. Called after an exception, and at the end of the plan. */
  abandon(): void {
    this.#endTimer();
    this.#creations.drop();
    this.#readings.drop();
    this.#take();
  }

  #take(): readonly Pending[] {
    const pending = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    return pending;
  }

  #flush(): void {
    this.#endTimer();
    const pending = this.#take();
    try {
      this.#state.transact(() => {
        for (const { work } of pending) work();
      });
    } catch (error) {
      for (const { reject } of pending) reject(error);
      return;
    }
    for (const { resolve } of pending) resolve();
  }

  #endTimer(): void {
    this.#timer?.ends.abort(FLUSHED);
    this.#timer = null;
  }

  /** Returns whether every running step waits for a commit, so that no other can join. */
  #isLast(): boolean {
    return this.#pending.length >= this.#running;
  }

  #flushIfAll(): void {
    if (this.#pending.length > 0 && this.#isLast()) this.#flush();
  }

  /**
   * Flushes when the last running step waits. Otherwise a plan would end with a wait that no other
   * step joins.
   */
  async #flushInATurn(): Promise<void> {
    await null;
    this.#flushIfAll();
  }

  async #flushLater(ms: number): Promise<void> {
    const { signal } = this.#startTimer(ms);
    // One turn later, because steps that start one after the other belong to one group.
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
