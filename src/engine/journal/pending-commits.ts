import type { State } from "../../ports/state.ts";

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
 */
const MOST_AFTERWARDS = { first: 512, later: 2_048, from: 20_000 } as const;
/** From how many on some are put in the order of their keys: those of a few share no pages. */
const WORTH_SORTING = 64;
/**
 * LIMIT: characters of text that wait for one transaction, apart from those of the commit that
 * exceeds it.
 */
const MOST_CHARACTERS = 4_000_000;

type Pending = { readonly work: () => void; readonly resolve: () => void; readonly reject: (error: unknown) => void };

/**
 * What is written for a step that ends before it is, a table at a time. Nothing that others write
 * depends on it.
 */
export type Afterwards = {
  /** By which its text is found. */
  readonly textKey: string;
  /** By which its version is found. */
  readonly rowKey: string;
  keepText(): void;
  putLink(): void;
  addVersion(): void;
  recordEvent(): void;
};

/** What waits to be written to the state in one transaction. */
export class PendingCommits {
  readonly #state: State;
  /** Those for which steps wait, in the order in which they came. */
  #pending: Pending[] = [];
  #afterwards: Afterwards[] = [];
  #characters = 0;
  /** How many were written for which no step waited. */
  #written = 0;
  /** Why what no step waits for was not written. */
  #fault: { readonly error: unknown } | null = null;

  constructor(state: State) {
    this.#state = state;
  }

  /** How many steps wait. */
  get awaited(): number {
    return this.#pending.length;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#afterwards.length === 0;
  }

  get isFull(): boolean {
    const most = this.#written < MOST_AFTERWARDS.from ? MOST_AFTERWARDS.first : MOST_AFTERWARDS.later;
    return this.#pending.length >= MOST || this.#afterwards.length >= most || this.#characters >= MOST_CHARACTERS;
  }

  /** @param characters of the text that is held until it is written */
  add(pending: Pending, characters: number): void {
    this.#pending.push(pending);
    this.#characters += characters;
  }

  /** @param characters likewise */
  addAfterwards(afterwards: Afterwards, characters: number): void {
    this.#afterwards.push(afterwards);
    this.#characters += characters;
  }

  /** Writes all of it; each step that waits learns how that ended. Nothing is thrown. */
  write(): void {
    const [pending, afterwards] = [this.#pending, this.#afterwards];
    this.#written += afterwards.length;
    this.drop();
    try {
      this.#state.transact(() => {
        writeInOrder(afterwards);
        for (const { work } of pending) work();
      });
    } catch (error) {
      if (afterwards.length > 0) this.#fault ??= { error };
      for (const { reject } of pending) reject(error);
      return;
    }
    for (const { resolve } of pending) resolve();
  }

  /** @throws what a write threw for which no step waited */
  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** Forgets what waits. */
  drop(): void {
    this.#pending = [];
    this.#afterwards = [];
    this.#characters = 0;
  }
}

/**
 * Texts first, and a table at a time, so that the pages of one index at a time are changed, each by
 * all that belongs there: together they are more than SQLite keeps in memory. Links and events keep
 * the order of their ends, which is about that of the list and of the folders: looks rely on it to
 * find the next one near the last, and the log shows it.
 */
function writeInOrder(afterwards: readonly Afterwards[]): void {
  for (const one of inOrderOf(afterwards, "textKey")) one.keepText();
  for (const one of afterwards) one.putLink();
  for (const one of inOrderOf(afterwards, "rowKey")) one.addVersion();
  for (const one of afterwards) one.recordEvent();
}

function inOrderOf(afterwards: readonly Afterwards[], key: "textKey" | "rowKey"): readonly Afterwards[] {
  if (afterwards.length < WORTH_SORTING) return afterwards;
  return afterwards.toSorted((a, b) => (a[key] < b[key] ? -1 : Number(a[key] > b[key])));
}
