import type { JsonObject } from "../contract/json.ts";
import type { WireResponse } from "../contract/wire.ts";
import type { Fault, Wire, WireResult } from "../ports/remote.ts";
import type { Clock, Log } from "../ports/world.ts";
import { DEADLINE } from "./exchange.ts";
import { failureWords } from "./failure-words.ts";
import { contentTypeOf, looksOf, type Origin } from "./foreign.ts";
import { parseJson } from "./json.ts";
import { readProblem, readRequestId } from "./problem-body.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { Scrub } from "./scrub.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Call = {
  readonly method: Method;
  /** Below the base URL, percent-encoded, with its query. */
  readonly path: string;
  readonly body: JsonObject | null;
  /** Statuses that mean it was done. */
  readonly accept: readonly number[];
  readonly size: keyof typeof ANSWER_BYTES;
};

// LIMIT: a document takes at most 614,400 bytes in JSON's longest spelling; a page of 1,000 items,
// each with a path of 4,096 characters outside ASCII, spelled as escapes, 25 MB.
export const ANSWER_BYTES = { item: 4 * 1024 * 1024, page: 32 * 1024 * 1024 } as const;
const DEADLINE_MS = { GET: 30_000, POST: 60_000, PUT: 60_000, PATCH: 60_000, DELETE: 60_000 } as const;

/** How one exchange ended. */
export type Reply =
  /** `value` is null for an empty body. */
  | {
      readonly kind: "success";
      readonly status: number;
      readonly value: unknown;
      readonly requestId: string | null;
      readonly from: Origin;
    }
  /** An answer of the service's own, in the form of the contract; any status from 400. */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
      readonly retryAfterMs: number | null;
      readonly from: Origin;
    }
  /**
   * A status, but no answer of the service: HTML, broken JSON, a redirect, a status that nobody
   * expects.
   */
  | {
      readonly kind: "unreadable";
      readonly status: number;
      readonly detail: string;
      /** A few words about what it is. */
      readonly looks: string;
      readonly requestId: string | null;
      readonly retryAfterMs: number | null;
      readonly from: Origin;
    }
  | {
      readonly kind: "no-answer";
      readonly sent: boolean;
      readonly timedOut: boolean;
      /** In words. */
      readonly detail: string;
      /** As the wire told it, often a code: for the log. */
      readonly why?: string;
    }
  /** Not sent, because the service asked for a longer pause than anybody should wait. */
  | { readonly kind: "paused"; readonly detail: string };

export type Http = {
  /** One exchange, one reply; never throws for what the other side does. */
  exchange(call: Call): Promise<Reply>;
  counts(): Readonly<Record<string, number>>;
};

export type KeyHeader = "authorization" | "x-api-key";

export type HttpOptions = {
  readonly wire: Wire;
  readonly key: string;
  readonly keyHeader: KeyHeader;
  readonly basePrefix: string;
  /** The base URL as messages show it. */
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly scrub: Scrub;
};

/** @throws when the key cannot stand in a header; the message does not repeat it */
export function createHttp(options: HttpOptions): Http {
  const { wire, key, keyHeader, basePrefix, address, clock, log, scrub } = options;
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw new Error("the API key must be printable ASCII without spaces");
  const credentials = keyHeader === "x-api-key" ? { "x-api-key": key } : { authorization: `Bearer ${key}` };
  const plain = { accept: "application/json, application/problem+json", ...credentials };
  const withBody = { ...plain, "content-type": "application/json" };
  const counts: Record<string, number> = {};

  return {
    async exchange(call) {
      counts[call.method] = (counts[call.method] ?? 0) + 1;
      const started = log.debug === false ? 0 : clock.monotonic();
      const result = await wire.send(
        {
          method: call.method,
          path: basePrefix + call.path,
          headers: call.body === null ? plain : withBody,
          body: call.body === null ? null : JSON.stringify(call.body),
        },
        { deadlineMs: DEADLINE_MS[call.method], maxBytes: ANSWER_BYTES[call.size] },
      );
      const reply = readResult(call, result, { address, scrub, now: clock.now() });
      if (log.debug === false) return reply;
      log.write("debug", "remote.exchange", {
        method: call.method,
        route: routeOf(call.path),
        ms: Math.round(clock.monotonic() - started),
        ...logFields(reply),
      });
      return reply;
    },
    counts: () => ({ ...counts }),
  };
}

export function logFields(reply: Reply): Record<string, string | number | null> {
  if (reply.kind === "no-answer") return { outcome: reply.sent ? "lost" : "not-sent", why: reply.why ?? null };
  if (reply.kind === "paused") return { outcome: "paused" };
  const common = { outcome: reply.kind, status: reply.status, requestId: reply.requestId };
  return reply.kind === "problem" ? { ...common, code: reply.code } : common;
}

type Reading = { readonly address: string; readonly scrub: Scrub; readonly now: number };

function readResult(call: Call, result: WireResult, reading: Reading): Reply {
  if (result.kind === "answer") return readResponse(call, result.response, reading);
  const why = reading.scrub(result.why, 200);
  const timedOut = result.why.startsWith(DEADLINE);
  return { kind: "no-answer", sent: result.kind === "lost", timedOut, detail: failureWords(why), why };
}

function readResponse(call: Call, response: WireResponse, { address, scrub, now }: Reading): Reply {
  const { status, headers, body } = response;
  const requestId = readRequestId(headers["x-request-id"], scrub);
  const waitMs = retryAfterMs(headers["retry-after"], headers["date"], now);
  const from = { url: address + routeOf(call.path), contentType: contentTypeOf(response) };
  const unreadable = (detail: string, looks = looksOf(from.contentType, body)): Reply => {
    return { kind: "unreadable", status, detail, looks, requestId, retryAfterMs: waitMs, from };
  };
  if (call.accept.includes(status)) {
    if (body === "") return { kind: "success", status, value: null, requestId, from };
    const json = parseJson(body);
    if (json.kind === "too-much") return unreadable(`the answer (${status}) cannot be read: ${json.why}`, json.why);
    if (json.kind === "not-json") return unreadable(`the answer (${status}) cannot be read: ${json.why}`);
    return { kind: "success", status, value: json.value, requestId, from };
  }
  if (status >= 300 && status < 400) {
    const target = redirectOrigin(headers["location"]);
    const looks = target === null ? "a redirect" : `a redirect to ${scrub(target, 200)}`;
    return unreadable(`the answer (${status}) is ${looks}, which is never followed; check the URL`, looks);
  }
  if (status < 400) return unreadable(`the answer has an unexpected status (${status})`);
  const problem = readProblem(body, status, scrub);
  if (problem.kind === "unreadable")
    return unreadable(`the error answer (${status}) is not the service's: ${problem.why}`);
  return { ...problem, status, requestId: problem.requestId ?? requestId, retryAfterMs: waitMs, from };
}

/** Without the query, which holds cursors. */
function routeOf(path: string): string {
  return path.replace(/\?.*$/s, "");
}

/** Path and query of a redirect may hold secrets; the origin alone is shown. */
function redirectOrigin(location: string | undefined): string | null {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : null;
}

export function isWrite(call: Pick<Call, "method">): boolean {
  return call.method !== "GET";
}

/**
 * May a write have happened? The only home of the answer (I08).
 * No: it was never sent, or the service itself refused it with a 4xx in the form of the contract.
 * In every other case: yes.
 */
export function mayHaveHappened(call: Pick<Call, "method">, reply: Reply): boolean {
  if (!isWrite(call)) return false;
  if (reply.kind === "paused") return false;
  if (reply.kind === "no-answer") return reply.sent;
  return !(reply.kind === "problem" && reply.status < 500);
}

/**
 * An answer of success that does not hold what it must: a write was done, yet nobody knows what it
 * made.
 */
export function misreadFault(call: Pick<Call, "method">, why: string, requestId: string | null): Fault {
  if (isWrite(call)) return { kind: "uncertain", detail: why, requestId };
  return { kind: "later", detail: why, requestId, cause: "malformed" };
}

/** What a reply without a value means to the caller, once no retry is left. */
export function faultOf(call: Pick<Call, "method">, reply: Exclude<Reply, { kind: "success" }>): Fault {
  const requestId = "requestId" in reply ? reply.requestId : null;
  const detail = reply.kind === "problem" && reply.detail === "" ? reply.code : reply.detail;
  if (mayHaveHappened(call, reply)) return { kind: "uncertain", detail, requestId };
  const later = (cause: "unreachable" | "unavailable" | "malformed" | "rate-limited"): Fault => {
    return { kind: "later", detail, requestId, cause };
  };
  if (reply.kind === "paused") return later("rate-limited");
  if (reply.kind === "no-answer") return later("unreachable");
  if (reply.status === 429) return later("rate-limited");
  if (reply.status >= 500) return later("unavailable");
  if (reply.kind === "unreadable") return later("malformed");
  if (reply.status === 401) return { kind: "locked-out", code: "unauthenticated", detail: reply.detail, requestId };
  if (reply.code === "workspace_not_found") {
    return { kind: "locked-out", code: "workspace_not_found", detail: reply.detail, requestId };
  }
  const { status, code, pointers } = reply;
  return { kind: "problem", status, code, detail: reply.detail, requestId, pointers };
}
