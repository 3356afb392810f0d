import type { State } from "../../ports/state.ts";

/**
 * Most commits in one transaction for which steps wait. Rows that are written together share pages
 * of the indexes, and each page is written once in a transaction; but who waits longer is taken for
 * old by V8.
 */
const MOST = 64;
/** Most in all: those for which no step waits hold no request, and a row each. */
const MOST_AFTERWARDS = 256;
/**
 * LIMIT: characters of text that wait for one transaction, apart from those of the commit that
 * exceeds it.
 */
const MOST_CHARACTERS = 4_000_000;

type Pending = {
  readonly work: () => void;
  /** The step that waits for it; null: none does. */
  readonly step: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null;
};

/** What waits to be written to the state in one transaction, in the order in which it came. */
export class PendingCommits {
  readonly #state: State;
  #pending: Pending[] = [];
  /** How many steps wait for these. */
  #awaited = 0;
  #characters = 0;
  /** Why what no step waits for was not written. */
  #fault: { readonly error: unknown } | null = null;

  constructor(state: State) {
    this.#state = state;
  }

  get awaited(): number {
    return this.#awaited;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  get isFull(): boolean {
    return this.#awaited >= MOST || this.#pending.length >= MOST_AFTERWARDS || this.#characters >= MOST_CHARACTERS;
  }

  /** @param characters of the text that is held until it is written */
  add(work: () => void, step: Pending["step"], characters: number): void {
    this.#pending.push({ work, step });
    this.#characters += characters;
    if (step !== null) this.#awaited++;
  }

  /** Writes all of it; each step that waits learns how that ended. Nothing is thrown. */
  write(): void {
    const pending = this.#pending;
    this.drop();
    try {
      this.#state.transact(() => {
        for (const { work } of pending) work();
      });
    } catch (error) {
      for (const { step } of pending) {
        if (step === null) this.#fault ??= { error };
        else step.reject(error);
      }
      return;
    }
    for (const { step } of pending) step?.resolve();
  }

  /** @throws what a write threw for which no step waited */
  throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** Forgets what waits. */
  drop(): void {
    this.#pending = [];
    this.#awaited = 0;
    this.#characters = 0;
  }
}
