import { MAX_BODY_BYTES } from "./body.ts";

/**
 * LIMIT: requests that were accepted and not answered yet, and the bytes of their bodies. With more
 * of them each waits for longer, and more are refused by the rules about time.
 */
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
/**
 * LIMIT: milliseconds that even the quickest answer of such a time took, after which requests are
 * refused: then each of them waits, for a database that others ask too.
 */
const LONGEST_WAIT_MS = 500;

/**
 * LIMIT: milliseconds that a body may take to arrive when there is no room for others: 100 kB in
 * that time over 400 kbit/s. Where there is room, the deadline of `http.ts` holds alone.
 */
const SLOW_BODY_MS = 2_000;

/** A body that still arrives, and what ends its connection. */
type Arriving = { readonly since: number; readonly cut: () => void };

/** Who was in work at the begin of a while, its answers, and how long the quickest took. */
type Window = { readonly startedAt: number; readonly working: number; answers: number; quickest: number };

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
  /** The oldest first; by what ends each request. */
  readonly #arriving = new Map<() => void, Arriving>();
  #turn: { readonly startedAt: number; requests: number } | null = null;
  #working = 0;
  #window: Window;
  #isSlow = false;

  constructor(turns: Turns = EVENT_LOOP) {
    this.#turns = turns;
    this.#window = { startedAt: turns.now(), working: 0, answers: 0, quickest: 0 };
  }

  /**
   * @param bytes of the body that is to be read
   * @param isAdmin an operator is let in even when the service is overloaded, to end that
   * @param cut ends the connection of a body that is to arrive (see `arrived`): called when there
   * is no room for others, and it took too long
   * @returns what ends the request; null when it must not begin
   */
  begin(bytes: number, isAdmin: boolean, cut: (() => void) | null = null): (() => void) | null {
    const isLate = this.#isLate();
    if ((isLate || !this.#hasRoom(bytes) || this.#waits()) && !isAdmin) return null;
    this.#underWay++;
    this.#bytes += bytes;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.#arriving.delete(end);
      this.#underWay--;
      this.#bytes -= bytes;
    };
    if (cut !== null) this.#arriving.set(end, { since: this.#turns.now(), cut });
    return end;
  }

  /** The body of a request is there. @param end what `begin` gave for it */
  arrived(end: () => void): void {
    this.#arriving.delete(end);
  }

  /** Whether another one fits; who lets a body trickle in makes room for it. */
  #hasRoom(bytes: number): boolean {
    while (this.#underWay >= MAX_UNDER_WAY || this.#bytes + bytes > MAX_BYTES) {
      const [oldest] = this.#arriving;
      if (oldest === undefined) return false;
      const [end, { since, cut }] = oldest;
      if (this.#turns.now() - since < SLOW_BODY_MS) return false;
      end();
      cut();
    }
    return true;
  }

  /**
   * Told when the service begins with a request, whose body is there.
   * @returns what is called when it is answered
   */
  work(): () => void {
    this.#working++;
    const began = this.#turns.now();
    return () => {
      this.#working--;
      const window = this.#window;
      const took = this.#turns.now() - began;
      window.quickest = window.answers === 0 ? took : Math.min(window.quickest, took);
      window.answers++;
    };
  }

  /** Whether all requests waited too long in the last while, and some do. */
  #waits(): boolean {
    const now = this.#turns.now();
    const { startedAt, working, answers, quickest } = this.#window;
    if (now - startedAt >= LONGEST_WAIT_MS) {
      // Of a longer while, nobody came in the rest of it.
      const isRecent = now - startedAt < 2 * LONGEST_WAIT_MS;
      this.#isSlow = answers === 0 ? working > FEW_IN_A_TURN : isRecent && quickest > LONGEST_WAIT_MS;
      this.#window = { startedAt: now, working: this.#working, answers: 0, quickest: 0 };
    }
    return this.#isSlow && this.#working > FEW_IN_A_TURN;
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
