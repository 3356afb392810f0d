/** Decides which calls are sent again, and when. */

import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import { isWrite, mayHaveHappened } from "./fault.ts";
import type { Http } from "./http.ts";
import { type Call, logFields, type Reply } from "./reply.ts";
import type { CallQueue } from "./queue.ts";

export const RETRY = {
  /** LIMIT: requests for one call. */
  attempts: 4,
  /** LIMIT: requests for a read that is answered 500. Unlike a 503, a 500 may be permanent. */
  attemptsOnFailure: 3,
  /** LIMIT: milliseconds from the first reply of a call to the start of its last request. */
  totalMs: 120_000,
  /** Backoff with full jitter: [0, min(cap, base · 2^attempt)). */
  backoffBaseMs: 500,
  backoffCapMs: 15_000,
  /** Pause after a 429 that gives no time. */
  rateLimitPauseMs: 1_000,
} as const;

/** Next step after a reply. `pauseMs`: pause of this call, or of all calls if `isForAll`. */
type NextStep = { readonly isAgain: boolean; readonly pauseMs: number; readonly isForAll: boolean };

const STOP: NextStep = { isAgain: false, pauseMs: 0, isForAll: false };

type AnsweredReply = Extract<Reply, { readonly kind: "problem" | "unreadable" }>;

/**
 * Returns the next step after a reply. Pure.
 * @param attempt number of requests so far, including this one
 * @param fraction [0, 1), for the jitter
 */
function nextStep(call: Call, reply: Reply, attempt: number, fraction: number): NextStep {
  if (reply.kind === "success" || reply.kind === "paused") return STOP;
  const backoff = fraction * Math.min(RETRY.backoffCapMs, RETRY.backoffBaseMs * 2 ** attempt);
  if (reply.kind === "no-answer") {
    // A write that certainly did not reach the service may be sent again. If the write may have
    // reached the service, the engine must read the document first (I08).
    if (mayHaveHappened(call, reply) || attempt >= RETRY.attempts) return STOP;
    return { isAgain: true, pauseMs: backoff, isForAll: false };
  }
  return reply.status === 429
    ? stepAfterRateLimit(call, reply, attempt, backoff)
    : stepAfterFailure(call, reply, attempt, backoff);
}

function stepAfterRateLimit(call: Call, reply: AnsweredReply, attempt: number, backoff: number): NextStep {
  const pauseMs = reply.retryAfterMs ?? Math.max(RETRY.rateLimitPauseMs, backoff);
  return { isAgain: !isWrite(call) && attempt < RETRY.attempts, pauseMs, isForAll: true };
}

function stepAfterFailure(call: Call, reply: AnsweredReply, attempt: number, backoff: number): NextStep {
  // An answered write is never sent again: a retry of a 4xx would get the same answer, and after a
  // 5xx the write may have been carried out.
  const attempts = reply.status === 500 ? RETRY.attemptsOnFailure : RETRY.attempts;
  if (isWrite(call) || reply.status < 500 || attempt >= attempts) return STOP;
  return { isAgain: true, pauseMs: reply.retryAfterMs ?? backoff, isForAll: false };
}

/** Returns true if a reply shows that the service is overloaded. */
export function isCongested(reply: Reply): boolean {
  // A refused connection means that no service runs, not that the service is overloaded.
  if (reply.kind === "no-answer") return reply.sent || reply.timedOut;
  return (reply.kind === "problem" || reply.kind === "unreadable") && (reply.status === 503 || reply.status === 429);
}

type CallerOptions = {
  readonly http: Http;
  readonly queue: CallQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborted on closing. Then every wait for a retry ends, and later calls are not sent. */
  readonly closing: AbortSignal;
};

/** Makes calls, each with the retries that are allowed. */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  async call(call: Call): Promise<Reply> {
    const { http, queue, clock, random, closing } = this.#options;
    let started: number | null = null;
    for (let attempt = 1; ; attempt++) {
      if (closing.aborted) return CLOSED;
      const turn = await queue.run(() => (closing.aborted ? NOT_SENT : http.exchange(call)), isCongested);
      const reply = turn.kind === "ran" ? turn.value : paused(turn.leftMs);
      // The time of a call does not include its wait for a place in the queue.
      started ??= clock.monotonic();
      const step = nextStep(call, reply, attempt, random.fraction());
      if (step.isForAll) queue.pause(step.pauseMs);
      if (!step.isAgain) {
        this.#logLoss(call, attempt, reply);
        return reply;
      }
      if (!this.#mayWait(step.pauseMs, started)) return reply;
      this.#logRetry(call, attempt, reply, step.pauseMs);
      if (!step.isForAll) await clock.sleep(step.pauseMs, closing);
    }
  }

  #mayWait(pauseMs: number, started: number): boolean {
    const { clock, closing } = this.#options;
    return !closing.aborted && clock.monotonic() - started + pauseMs <= RETRY.totalMs;
  }

  #logLoss({ method }: Call, attempt: number, reply: Reply): void {
    if (reply.kind !== "no-answer") return;
    this.#options.log.write("warn", "remote.no-answer", { method, attempt, ...logFields(reply) });
  }

  #logRetry({ method }: Call, attempt: number, reply: Reply, pauseMs: number): void {
    const waitMs = Math.round(pauseMs);
    this.#options.log.write("info", "remote.retry", { method, attempt, waitMs, ...logFields(reply) });
  }
}

function paused(leftMs: number): Reply {
  const seconds = Math.ceil(leftMs / 1000);
  return { kind: "paused", detail: `the service asked to wait; ${seconds} s remain` };
}

const CLOSED: Reply = { kind: "no-answer", sent: false, timedOut: false, detail: "the client is closed" };
const NOT_SENT = Promise.resolve(CLOSED);
