import { MAX_BODY_BYTES } from "./body.ts";

/** LIMIT: requests that were accepted and not answered yet, and the bytes of their bodies. */
const MAX_UNDER_WAY = 256;
const MAX_BYTES = 64 * MAX_BODY_BYTES;
/**
 * LIMIT: milliseconds of one turn of the event loop after which requests are refused. They are
 * answered one after the other, so those that came during the turn have waited as long.
 */
const LONGEST_TURN_MS = 500;
/**
 * With fewer requests in the turn, refusing one helps nobody: one costly answer or a starved
 * machine made the turn long.
 */
const FEW_IN_A_TURN = 8;

/** The time, and the end of a turn of the event loop; tests pass their own. */
export type Turns = { now(): number; atEnd(callback: () => void): void };
const EVENT_LOOP: Turns = { now: () => performance.now(), atEnd: (callback) => void setImmediate(callback) };

/**
 * Limits how many requests, with how many bytes of bodies, are under way, and refuses what cannot
 * be answered soon.
 */
export class Admission {
  readonly #turns: Turns;
  #underWay = 0;
  #bytes = 0;
  #turn: { readonly startedAt: number; requests: number } | null = null;

  constructor(turns: Turns = EVENT_LOOP) {
    this.#turns = turns;
  }

  /**
   * @param bytes of the body that is to be read
   * @param isAdmin an operator is let in even when the service is overloaded, to end that
   * @returns what ends the request; null when it must not begin
   */
  begin(bytes: number, isAdmin: boolean): (() => void) | null {
    const isFull = this.#underWay >= MAX_UNDER_WAY || this.#bytes + bytes > MAX_BYTES;
    if ((this.#isLate() || isFull) && !isAdmin) return null;
    this.#underWay++;
    this.#bytes += bytes;
    return () => {
      this.#underWay--;
      this.#bytes -= bytes;
    };
  }

  /**
   * Counts a request of this turn. @returns whether it has waited too long, together with others
   */
  #isLate(): boolean {
    this.#turn ??= this.#startTurn();
    this.#turn.requests++;
    return this.#turn.requests > FEW_IN_A_TURN && this.#turns.now() - this.#turn.startedAt > LONGEST_TURN_MS;
  }

  #startTurn(): { readonly startedAt: number; requests: number } {
    this.#turns.atEnd(() => {
      this.#turn = null;
    });
    return { startedAt: this.#turns.now(), requests: 0 };
  }
}
