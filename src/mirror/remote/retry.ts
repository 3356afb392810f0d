/**
 * Decides whether and when a failed call is repeated. Turns failed replies into faults, which the
 * engine handles.
 */
import type { Fault } from "../ports/remote.ts";
import { type ApiCall, type ApiFailure, type ApiReply, toLogFields } from "./reply.ts";
import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import type { HttpClient } from "./http.ts";
import type { CallQueue } from "./queue.ts";

function isWrite(call: Pick<ApiCall, "method">): boolean {
  return call.method !== "GET";
}

/**
 * Returns true if a call is a write that the service may have carried out (I08). Returns false if
 * the request was never sent, or if the service refused the write with a 4xx in the form of the
 * API.
 */
function mayHaveHappened(call: Pick<ApiCall, "method">, reply: ApiReply): boolean {
  if (!isWrite(call)) return false;
  if (reply.kind === "paused") return false;
  if (reply.kind === "no-answer") return reply.sent;
  return !(reply.kind === "problem" && reply.status < 500);
}

/**
 * Returns the fault for a successful answer without a field that mdmirror needs. The fault of a
 * write is `uncertain`: the service carried out the write, but the result is unknown.
 */
export function createMisreadFault(call: Pick<ApiCall, "method">, why: string, requestId: string | null): Fault {
  if (isWrite(call)) return { kind: "uncertain", detail: why, requestId };
  return { kind: "later", detail: why, requestId, cause: "malformed" };
}

export function toFault(call: Pick<ApiCall, "method">, reply: ApiFailure): Fault {
  const requestId = "requestId" in reply ? reply.requestId : null;
  const detail = reply.kind === "problem" && reply.detail === "" ? reply.code : reply.detail;
  if (mayHaveHappened(call, reply)) return { kind: "uncertain", detail, requestId };
  const cause = findTemporaryCause(reply);
  if (reply.kind !== "problem" || cause !== null) {
    return { kind: "later", detail, requestId, cause: cause ?? "malformed" };
  }
  return toRefusalFault(reply);
}

/**
 * Returns the cause of a failure that may end without the user, such as an unreachable service.
 * Returns null if a second call would fail in the same way.
 */
function findTemporaryCause(reply: ApiFailure): "unreachable" | "unavailable" | "rate-limited" | null {
  if (reply.kind === "paused") return "rate-limited";
  if (reply.kind === "no-answer") return "unreachable";
  if (reply.status === 429) return "rate-limited";
  return reply.status >= 500 ? "unavailable" : null;
}

function toRefusalFault(reply: Extract<ApiReply, { kind: "problem" }>): Fault {
  const { status, code, detail, requestId, pointers, fieldCodes } = reply;
  if (status === 401) return { kind: "locked-out", code: "unauthenticated", detail, requestId };
  if (code === "workspace_not_found") return { kind: "locked-out", code, detail, requestId };
  return { kind: "problem", status, code, detail, requestId, pointers, ...(fieldCodes && { fieldCodes }) };
}

export const RETRY = {
  /**
   * LIMIT: number of requests for one call, so that a call ends even if the service keeps failing.
   */
  attempts: 4,
  /**
   * LIMIT: number of requests for a read that gets status 500. The number is lower than for other
   * errors, because an error 500 is often permanent.
   */
  attemptsOnFailure: 3,
  /**
   * LIMIT: milliseconds from the first reply to a call to the start of its last request, so that a
   * caller does not wait for long.
   */
  totalMs: 120_000,
  /**
   * Milliseconds before the request after request n: a random number from 0 to `backoffBaseMs` ·
   * 2^n, but at most `backoffCapMs`.
   */
  backoffBaseMs: 500,
  backoffCapMs: 15_000,
  /** Shortest pause in milliseconds after a 429 without a `Retry-After` header. */
  rateLimitPauseMs: 1_000,
} as const;

/**
 * Decision about a failed call. `isAgain`: true if the call is repeated, after `pauseMs`
 * milliseconds. `isForAll`: true if all other calls wait as well.
 */
type RetryDecision = { readonly isAgain: boolean; readonly pauseMs: number; readonly isForAll: boolean };

const NO_RETRY: RetryDecision = { isAgain: false, pauseMs: 0, isForAll: false };

type AnsweredReply = Extract<ApiReply, { readonly kind: "problem" | "unreadable" }>;

/**
 * Decides whether a call is repeated after this reply.
 * @param attempt number of requests so far
 * @param fraction random number in [0, 1), which decides the length of the pause
 */
function decideRetry(call: ApiCall, reply: ApiReply, attempt: number, fraction: number): RetryDecision {
  if (reply.kind === "success" || reply.kind === "paused") return NO_RETRY;
  const backoffMs = fraction * Math.min(RETRY.backoffCapMs, RETRY.backoffBaseMs * 2 ** attempt);
  if (reply.kind === "no-answer") {
    // A write is repeated only if the service certainly did not receive the request. Otherwise the
    // engine must first read the document (I08).
    if (mayHaveHappened(call, reply) || attempt >= RETRY.attempts) return NO_RETRY;
    return { isAgain: true, pauseMs: backoffMs, isForAll: false };
  }
  return reply.status === 429
    ? decideAfterRateLimit(call, reply, attempt, backoffMs)
    : decideAfterFailure(call, reply, attempt, backoffMs);
}

function decideAfterRateLimit(call: ApiCall, reply: AnsweredReply, attempt: number, backoff: number): RetryDecision {
  const pauseMs = reply.retryAfterMs ?? Math.max(RETRY.rateLimitPauseMs, backoff);
  return { isAgain: !isWrite(call) && attempt < RETRY.attempts, pauseMs, isForAll: true };
}

function decideAfterFailure(call: ApiCall, reply: AnsweredReply, attempt: number, backoff: number): RetryDecision {
  // A write that got an answer is never repeated. After a 4xx, a second answer would be the same;
  // after a 5xx, the service may have carried out the write.
  const attempts = reply.status === 500 ? RETRY.attemptsOnFailure : RETRY.attempts;
  if (isWrite(call) || reply.status < 500 || attempt >= attempts) return NO_RETRY;
  return { isAgain: true, pauseMs: reply.retryAfterMs ?? backoff, isForAll: false };
}

export function isCongested(reply: ApiReply): boolean {
  // A failed connection does not mean that the service is overloaded: perhaps no service is
  // running.
  if (reply.kind === "no-answer") return reply.sent || reply.timedOut;
  return (reply.kind === "problem" || reply.kind === "unreadable") && (reply.status === 503 || reply.status === 429);
}

type CallerOptions = {
  readonly http: HttpClient;
  readonly queue: CallQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Signal that ends all pauses when the client closes. After that, no request is sent. */
  readonly closing: AbortSignal;
};

export class ApiCaller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  async call(call: ApiCall): Promise<ApiReply> {
    const { http, queue, clock, random, closing } = this.#options;
    let startedAt: number | null = null;
    for (let attempt = 1; ; attempt++) {
      if (closing.aborted) return CLOSED_REPLY;
      const queuedResult = await queue.run(() => (closing.aborted ? NOT_SENT : http.exchange(call)), isCongested);
      const reply = queuedResult.kind === "ran" ? queuedResult.value : createPausedReply(queuedResult.leftMs);
      // The time limit of a call starts with its first reply, because the time in the queue must
      // not use it up.
      startedAt ??= clock.monotonic();
      const decision = decideRetry(call, reply, attempt, random.fraction());
      if (decision.isForAll) queue.pause(decision.pauseMs);
      if (!decision.isAgain) {
        this.#logLoss(call, attempt, reply);
        return reply;
      }
      if (!this.#mayWait(decision.pauseMs, startedAt)) return reply;
      this.#logRetry(call, attempt, reply, decision.pauseMs);
      if (!decision.isForAll) await clock.sleep(decision.pauseMs, closing);
    }
  }

  #mayWait(pauseMs: number, started: number): boolean {
    const { clock, closing } = this.#options;
    return !closing.aborted && clock.monotonic() - started + pauseMs <= RETRY.totalMs;
  }

  #logLoss({ method }: ApiCall, attempt: number, reply: ApiReply): void {
    if (reply.kind !== "no-answer") return;
    this.#options.log.write("warn", "remote.no-answer", { method, attempt, ...toLogFields(reply) });
  }

  #logRetry({ method }: ApiCall, attempt: number, reply: ApiReply, pauseMs: number): void {
    const waitMs = Math.round(pauseMs);
    this.#options.log.write("info", "remote.retry", { method, attempt, waitMs, ...toLogFields(reply) });
  }
}

function createPausedReply(leftMs: number): ApiReply {
  const seconds = Math.ceil(leftMs / 1000);
  return { kind: "paused", detail: `the service asked to wait; ${seconds} s remain` };
}

const CLOSED_REPLY: ApiReply = { kind: "no-answer", sent: false, timedOut: false, detail: "the client is closed" };
const NOT_SENT = Promise.resolve(CLOSED_REPLY);
