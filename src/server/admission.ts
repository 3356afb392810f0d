import { MAX_BODY_BYTES } from "./body.ts";

/** LIMIT: requests that were taken and are not answered, and the bytes of their bodies. */
const MAX_UNDER_WAY = 256;
const MAX_BYTES = 64 * MAX_BODY_BYTES;
/**
 * LIMIT: milliseconds of one turn of the event loop, from which on work is refused. Requests are
 * answered one after the other, so what has come meanwhile has waited as long.
 */
const LONGEST_TURN_MS = 500;
/**
 * With fewer requests in the turn, refusing one helps nobody: the turn is then long by one costly
 * answer, or by a starved machine.
 */
const FEW_IN_A_TURN = 8;

/** Time, and the end of the turn of the event loop, as they are; tests give others. */
export type Turns = { now(): number; atEnd(callback: () => void): void };
const EVENT_LOOP: Turns = { now: () => performance.now(), atEnd: (callback) => void setImmediate(callback) };

/**
 * Who may come in: so many requests, with so many bytes of bodies, are under way at a time, and no
 * more than can be answered soon.
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
   * @param isAdmin an operator is let in also when the service has too much to do: to change that
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

  /** Counts a request of this turn. @returns whether it has waited too long, with others */
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
