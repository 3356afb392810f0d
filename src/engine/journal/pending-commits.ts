import type { CreatedRows, RowWriter } from "../../ports/row-writer.ts";
import type { State } from "../../ports/state.ts";
import { writeCreated } from "./write-created.ts";

/**
 * Most commits in one transaction for which steps wait. Rows that are written together share pages
 * of the indexes, and each page is written once in a transaction; but who waits longer is taken for
 * old by V8.
 */
const MOST = 64;
/**
 * Most of those for which no step waits: at first, and when so many were written. Ids and digests
 * come in no order: 256 new rows touch nearly as many pages of an index of 100,000, and four times
 * as many rows less than three times as many. Of a small index most pages are touched anyway.
 * `aside`: where another thread writes them, while as many again gather here.
 */
const MOST_AFTERWARDS = { first: 512, later: 2_048, from: 20_000, aside: 512 } as const;
/**
 * LIMIT: characters of text that wait for one transaction, apart from those of the commit that
 * exceeds it.
 */
const MOST_CHARACTERS = 4_000_000;

type Pending = { readonly work: () => void; readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** What waits, in the order in which it came, and how many characters of text are held by it. */
class Waiting<T> {
  #all: T[] = [];
  #characters = 0;

  get length(): number {
    return this.#all.length;
  }

  get characters(): number {
    return this.#characters;
  }

  add(one: T, characters: number): void {
    this.#all.push(one);
    this.#characters += characters;
  }

  take(): readonly T[] {
    const all = this.#all;
    this.#all = [];
    this.#characters = 0;
    return all;
  }
}

/** What waits to be written to the state in one transaction. */
export class PendingCommits {
  readonly #state: State;
  /** null: what no step waits for is written here, too. */
  #aside: RowWriter | null = null;
  /** Resolves when the other thread has written what it was given last; null: it has nothing. */
  #writing: Promise<void> | null = null;
  /** Those for which steps wait. */
  readonly #pending = new Waiting<Pending>();
  readonly #afterwards = new Waiting<CreatedRows>();
  /** How many were written for which no step waited. */
  #written = 0;
  /** Why what no step waits for was not written. */
  #fault: { readonly error: unknown } | null = null;

  constructor(state: State) {
    this.#state = state;
  }

  /** From now on what no step waits for is written by another thread. */
  writeAside(writer: RowWriter): void {
    this.#aside = writer;
  }

  /** How many steps wait. */
  get awaited(): number {
    return this.#pending.length;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#afterwards.length === 0;
  }

  /**
   * Whether there is something to write as soon as no step is left that could join. While another
   * thread writes there is not: it follows that by itself.
   */
  get isWaitedFor(): boolean {
    if (this.#writing !== null) return false;
    return this.#pending.length > 0 || (this.#aside === null && this.#afterwards.length > 0);
  }

  /** Whether what waits is to be written now, as far as it can be. */
  get isFull(): boolean {
    return this.#pending.length >= MOST || this.#isHeavy;
  }

  /** null: there is room for more; else to be waited for before more of those is added. */
  get room(): Promise<void> | null {
    return this.#isHeavy ? this.#writing : null;
  }

  get #isHeavy(): boolean {
    const characters = this.#pending.characters + this.#afterwards.characters;
    return this.#afterwards.length >= this.#mostAfterwards || characters >= MOST_CHARACTERS;
  }

  get #mostAfterwards(): number {
    const { first, later, from, aside } = MOST_AFTERWARDS;
    if (this.#aside !== null) return aside;
    return this.#written < from ? first : later;
  }

  /** @param characters of the text that is held until it is written */
  add(pending: Pending, characters: number): void {
    this.#pending.add(pending, characters);
  }

  /** @param characters likewise */
  addAfterwards(rows: CreatedRows, characters: number): void {
    this.#afterwards.add(rows, characters);
  }

  /**
   * Writes all of it; each step that waits learns how that ended. Nothing is thrown. While another
   * thread writes, nothing is written here: it follows as soon as that has ended.
   * @param isDue whether few of those are handed over, too, for which no step waits
   */
  write(isDue: boolean): void {
    if (this.#writing !== null) return;
    const aside = this.#aside;
    if (aside === null) {
      this.#writeHere(this.#pending.take(), this.#afterwards.take());
      return;
    }
    const isToGo = this.#afterwards.length > 0 && (isDue || this.#isHeavy);
    if (this.#pending.length > 0) this.#writeHere(this.#pending.take(), []);
    if (isToGo) this.#writing = this.#handOver(aside, this.#afterwards.take());
  }

  /** Resolves when nothing waits any more. @throws what a write threw for which no step waited */
  async settle(): Promise<void> {
    while (!this.isEmpty || this.#writing !== null) {
      this.write(true);
      await this.#writing;
    }
    this.throwFault();
  }

  /**
   * Forgets what waits; resolves when no other thread has the state open. What steps that are under
   * way still add begins none again.
   */
  async abandon(): Promise<void> {
    const aside = this.#aside;
    this.#aside = null;
    this.#pending.take();
    this.#afterwards.take();
    await this.#writing;
    await aside?.end();
  }

  async #handOver(aside: RowWriter, rows: readonly CreatedRows[]): Promise<void> {
    try {
      const isWritten = await aside.write(rows);
      this.#state.wroteBeside(isWritten ? rows.map(({ event }) => event) : []);
      if (isWritten) giveBack(rows);
      else await this.#takeBack(aside, rows);
    } catch (error) {
      this.#fault ??= { error };
    }
    this.#writing = null;
    if (this.isFull || this.#pending.length > 0) this.write(false);
  }

  /** Writes what the other thread did not: here it is found why. */
  async #takeBack(aside: RowWriter, rows: readonly CreatedRows[]): Promise<void> {
    this.#aside = null;
    await aside.end();
    // It may have ended after its commit: then all of them are there, or none is.
    const { id, changeId } = rows[0]!.link;
    if (this.#state.link(id)?.changeId === changeId) giveBack(rows);
    else this.#writeHere([], rows);
  }

  #writeHere(pending: readonly Pending[], afterwards: readonly CreatedRows[]): void {
    this.#written += afterwards.length;
    try {
      this.#state.transact(() => {
        writeCreated(this.#state, afterwards);
        for (const { work } of pending) work();
      });
    } catch (error) {
      if (afterwards.length > 0) this.#fault ??= { error };
      for (const { reject } of pending) reject(error);
      return;
    }
    giveBack(afterwards);
    for (const { resolve } of pending) resolve();
  }

  /** @throws what a write threw for which no step waited */
  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }
}

/** SQLite has a copy by now. */
function giveBack(rows: readonly CreatedRows[]): void {
  for (const { lent } of rows) lent?.giveBack();
}
