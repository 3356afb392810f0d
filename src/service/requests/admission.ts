import { MAX_BODY_BYTES } from "./body.ts";

/**
 * LIMIT: unanswered requests, and bytes of their bodies. With more, each request would take longer,
 * and more of them would exceed their time limits.
 */
const MAX_UNANSWERED = 256;
const MAX_BODY_BYTES_TOGETHER = 64 * MAX_BODY_BYTES;
/**
 * LIMIT: in milliseconds. If one turn of the event loop takes longer, requests are refused: a
 * request that arrived in this turn has already waited, because requests are handled one by one.
 */
const MAX_TURN_MS = 500;
/**
 * LIMIT: requests in one turn of the event loop that are never refused as late. With so few
 * requests, one costly answer or a slow machine made the turn long, and refusing would not help.
 */
const ALWAYS_ADMITTED_REQUESTS = 8;
/**
 * LIMIT: in milliseconds. If even the quickest answer of a window (`AnswerWindow`) took longer,
 * requests are refused, because the shared database is too busy to answer any of them quickly.
 */
const MAX_QUICKEST_MS = 500;

/**
 * LIMIT: milliseconds that a body may take to arrive while the service has no capacity for other
 * requests. With capacity, only the time limits of `http/server.ts` apply.
 */
const MAX_BODY_ARRIVAL_MS = 2_000;

type ArrivingBody = { readonly since: number; readonly cut: () => void };

/**
 * A time window. `working`: running requests at its start; `quickest`: ms of its quickest answer.
 */
type AnswerWindow = { readonly startedAt: number; readonly working: number; answers: number; quickest: number };

/** A clock, and a callback at the end of a turn of the event loop; tests replace both. */
export type LoopTurns = { now(): number; atEnd(callback: () => void): void };
const EVENT_LOOP: LoopTurns = { now: () => performance.now(), atEnd: (callback) => void setImmediate(callback) };

/** Limits unanswered requests and their bytes. Refuses requests that would be answered late. */
export class Admission {
  readonly #turns: LoopTurns;
  #underWay = 0;
  #bytes = 0;
  /** Bodies that are still arriving, the oldest first, by the function that ends the request. */
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
    let isOver = false;
    const endRequest = () => {
      if (isOver) return;
      isOver = true;
      this.#arriving.delete(endRequest);
      this.#underWay--;
      this.#bytes -= bytes;
    };
    if (cut !== null) this.#arriving.set(endRequest, { since: this.#turns.now(), cut });
    return endRequest;
  }

  /** @param end result of `begin` for the request whose body has arrived */
  arrived(end: () => void): void {
    this.#arriving.delete(end);
  }

  /** Returns true if another request fits. First ends requests with slow bodies, if needed. */
  #fits(bytes: number): boolean {
    while (this.#underWay >= MAX_UNANSWERED || this.#bytes + bytes > MAX_BODY_BYTES_TOGETHER) {
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
   * Records that the service works on a request whose body has arrived.
   * @returns a function that the caller calls when the request was answered
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

  /** Returns true if the last answers all came late, and more than a few requests still wait. */
  #waits(): boolean {
    const now = this.#turns.now();
    const { startedAt, working, answers, quickest } = this.#window;
    if (now - startedAt >= MAX_QUICKEST_MS) {
      // A window ends with the first request after its time. If that request came late, the slow
      // answers of the window are too old to count.
      const isRecent = now - startedAt < 2 * MAX_QUICKEST_MS;
      this.#isSlow = answers === 0 ? working > ALWAYS_ADMITTED_REQUESTS : isRecent && quickest > MAX_QUICKEST_MS;
      this.#window = { startedAt: now, working: this.#working, answers: 0, quickest: 0 };
    }
    return this.#isSlow && this.#working > ALWAYS_ADMITTED_REQUESTS;
  }

  /** Returns true if the turn of the event loop has had many requests and has taken too long. */
  #isLate(): boolean {
    this.#turn ??= this.#startTurn();
    this.#turn.requests++;
    return this.#turn.requests > ALWAYS_ADMITTED_REQUESTS && this.#turns.now() - this.#turn.startedAt > MAX_TURN_MS;
  }

  #startTurn(): { readonly startedAt: number; requests: number } {
    this.#turns.atEnd(() => {
      this.#turn = null;
    });
    return { startedAt: this.#turns.now(), requests: 0 };
  }
}
