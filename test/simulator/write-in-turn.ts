import { writeCreated } from "../../src/engine/journal/write-created.ts";
import type { CreatedRows, RowWriter } from "../../src/ports/row-writer.ts";
import type { State } from "../../src/ports/state.ts";
import { Killed } from "./mirror.ts";

/** How a thread ends that does not answer: before it has written anything, or after it has. */
const LOST = ["before", "after"] as const;
/** Every so many calls the thread is lost. */
const LOST_EVERY = 7;

/** What the thread for rows does, in a later turn of this one; now and then it is lost. */
export class WritesInTurn implements RowWriter {
  readonly worthIt = 2;
  readonly #state: State;
  /** Counts the calls of all processes. */
  readonly #calls: { count: number };

  constructor(state: State, calls: { count: number }) {
    this.#state = state;
    this.#calls = calls;
  }

  async write(rows: readonly CreatedRows[]): Promise<boolean> {
    await null;
    const call = ++this.#calls.count;
    const lost = call % LOST_EVERY === 0 ? LOST[(call / LOST_EVERY) % LOST.length] : null;
    if (lost === "before") return false;
    try {
      this.#state.transact(() => writeCreated(this.#state, rows));
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      return false;
    }
    return lost === null;
  }

  async end(): Promise<void> {
    await null;
  }
}
