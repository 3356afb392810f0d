import { MAX_BODY_BYTES } from "./input.ts";

/**
 * LIMIT: number of unanswered requests, and number of bytes of their bodies. With higher limits,
 * every request would take longer, and more requests would exceed their time limits.
 */
const MAX_UNANSWERED = 256;
const MAX_BYTES = 64 * MAX_BODY_BYTES;
/**
 * LIMIT: milliseconds for one turn of the event loop. In a longer turn, requests are refused: each
 * request waits for the requests before it, and has already waited too long.
 */
const MAX_TURN_MS = 500;
/**
 * LIMIT: number of requests in one turn of the event loop that are never refused as late. If a turn
 * with so few requests takes long, one answer or the machine is slow. A refusal would not help,
 * because the service is not overloaded.
 */
const ALWAYS_ADMITTED = 8;
/**
 * LIMIT: milliseconds for the quickest answer in a window (`AnswerWindow`), and shortest length of
 * a window. If even the quickest answer took longer, the shared database is too busy. The service
 * then refuses requests while more than `ALWAYS_ADMITTED` are running.
 */
const MAX_QUICKEST_MS = 500;

/**
 * LIMIT: milliseconds in which a body must arrive while the service has no capacity for other
 * requests. Slower clients would exclude other clients. While the service has capacity, only the
 * time limits of `http/server.ts` apply.
 */
const MAX_BODY_ARRIVAL_MS = 2_000;

type ArrivingBody = { readonly since: number; readonly cut: () => void };

/**
 * Span of time in which answers are counted. `working`: number of requests that were running when
 * the span began; `quickest`: duration of the quickest answer in the span, in milliseconds.
 */
type AnswerWindow = { readonly startedAt: number; readonly working: number; answers: number; quickest: number };

/** Clock and event loop; tests replace both. `atEnd` runs a callback at the end of the turn. */
export type LoopTurns = { now(): number; atEnd(callback: () => void): void };
const EVENT_LOOP: LoopTurns = { now: () => performance.now(), atEnd: (callback) => void setImmediate(callback) };

/** Limits the number of unanswered requests and their bytes. Refuses late requests. */
export class Admission {
  readonly #turns: LoopTurns;
  #underWay = 0;
  #bytes = 0;
  /**
   * Bodies that are still arriving, the oldest first. The map's key is the function that ends the
   * request of the body.
   */
  readonly #arriving = new Map<() => void, ArrivingBody>();
  #turn: { readonly startedAt: number; requests: number } | null = null;
  #working = 0;
  #window: AnswerWindow;
  #isSlow = false;

  constructor(turns: LoopTurns = EVENT_LOOP) {
    this.#turns = turns;
    this.#window = { startedAt: turns.now(), working: 0, answers: 0, quickest: 0 };
  }

  /**
   * Admits a request. Returns a function that ends the request; null if the request is refused.
   * @param bytes length of the body that the service will read
   * @param isAdmin true for an operator, who must be able to repair an overloaded service
   * @param cut closes the connection of a body that takes too long to arrive while there is no
   * capacity for other requests
   */
  begin(bytes: number, isAdmin: boolean, cut: (() => void) | null = null): (() => void) | null {
    const isLate = this.#isLate();
    if ((isLate || !this.#fits(bytes) || this.#waits()) && !isAdmin) return null;
    this.#underWay++;
    this.#bytes += bytes;
    let isEnded = false;
    const endRequest = () => {
      if (isEnded) return;
      isEnded = true;
      this.#arriving.delete(endRequest);
      this.#underWay--;
      this.#bytes -= bytes;
    };
    if (cut !== null) this.#arriving.set(endRequest, { since: this.#turns.now(), cut });
    return endRequest;
  }

  /**
   * Records that the body of a request has arrived.
   * @param end result of `begin` for this request
   */
  arrived(end: () => void): void {
    this.#arriving.delete(end);
  }

  /**
   * Returns true if there is capacity for another request. If necessary, first ends requests whose
   * bodies arrive too slowly.
   */
  #fits(bytes: number): boolean {
    while (this.#underWay >= MAX_UNANSWERED || this.#bytes + bytes > MAX_BYTES) {
      const [oldest] = this.#arriving;
      if (oldest === undefined) return false;
      const [end, { since, cut }] = oldest;
      if (this.#turns.now() - since < MAX_BODY_ARRIVAL_MS) return false;
      end();
      cut();
    }
    return true;
  }

  /**
   * Records that the service has begun to work on a request.
   * @returns a function that the caller must call when the request is answered
   */
  work(): () => void {
    this.#working++;
    const startedAt = this.#turns.now();
    return () => {
      this.#working--;
      const window = this.#window;
      const durationMs = this.#turns.now() - startedAt;
      window.quickest = window.answers === 0 ? durationMs : Math.min(window.quickest, durationMs);
      window.answers++;
    };
  }

  /**
   * Returns true if the database is too slow: all recent answers came late, and several requests
   * are still running.
   */
  #waits(): boolean {
    const now = this.#turns.now();
    const { startedAt, working, answers, quickest } = this.#window;
    if (now - startedAt >= MAX_QUICKEST_MS) {
      // The first request after the end of a window begins the next window. If that request came
      // much later, the slow answers of the old window say nothing about the present.
      const isRecent = now - startedAt < 2 * MAX_QUICKEST_MS;
      this.#isSlow = answers === 0 ? working > ALWAYS_ADMITTED : isRecent && quickest > MAX_QUICKEST_MS;
      this.#window = { startedAt: now, working: this.#working, answers: 0, quickest: 0 };
    }
    return this.#isSlow && this.#working > ALWAYS_ADMITTED;
  }

  /** Returns true if this turn of the event loop has taken too long and has had many requests. */
  #isLate(): boolean {
    this.#turn ??= this.#startTurn();
    this.#turn.requests++;
    return this.#turn.requests > ALWAYS_ADMITTED && this.#turns.now() - this.#turn.startedAt > MAX_TURN_MS;
  }

  #startTurn(): { readonly startedAt: number; requests: number } {
    this.#turns.atEnd(() => {
      this.#turn = null;
    });
    return { startedAt: this.#turns.now(), requests: 0 };
  }
}
