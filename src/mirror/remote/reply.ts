import type { WireResponse } from "../../contract/wire.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { LogFields } from "../ports/log.ts";
import type { Fault } from "../ports/remote.ts";
import type { WireResult } from "../../common/wire.ts";
import { describeFailure } from "../../common/failure-words.ts";
import { readContentType, describeBody, type AnswerOrigin } from "./foreign.ts";
import { parseJson } from "./json.ts";
import { type ServiceProblem, readProblem, readRequestId } from "./problem-body.ts";
import type { Scrub } from "./scrub.ts";

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type ApiCall = {
  readonly method: HttpMethod;
  /** Path and query below the base URL, percent-encoded. */
  readonly path: string;
  readonly body: JsonObject | null;
  readonly accept: readonly number[];
  readonly size: "item" | "page";
};

export type ApiReply =
  /** `value`: the parsed JSON; null if the body is empty. */
  | {
      readonly kind: "success";
      readonly status: number;
      readonly value: unknown;
      readonly requestId: string | null;
      readonly from: AnswerOrigin;
    }
  /** The service refused the call, or reported an error, in the form of the API. */
  | (Extract<Fault, { kind: "problem" }> & { readonly retryAfterMs: number | null; readonly from: AnswerOrigin })
  /**
   * mdmirror cannot read the answer, or another program sent it. Examples: HTML, broken JSON, a
   * redirect, an unexpected status.
   */
  | {
      readonly kind: "unreadable";
      readonly status: number;
      readonly detail: string;
      readonly summary: string;
      readonly requestId: string | null;
      readonly retryAfterMs: number | null;
      readonly from: AnswerOrigin;
    }
  | {
      readonly kind: "no-answer";
      readonly sent: boolean;
      readonly timedOut: boolean;
      readonly detail: string;
      /** Reason for the log, often an error code. */
      readonly why?: string;
    }
  /** The request was not sent: the service asked for a longer pause than a call waits for. */
  | { readonly kind: "paused"; readonly detail: string };

export type ApiFailure = Exclude<ApiReply, { readonly kind: "success" }>;

export function toLogFields(reply: ApiReply): Pick<LogFields, "outcome" | "why" | "status" | "requestId" | "code"> {
  if (reply.kind === "no-answer") return { outcome: reply.sent ? "lost" : "not-sent", why: reply.why ?? null };
  if (reply.kind === "paused") return { outcome: "paused" };
  const common = { outcome: reply.kind, status: reply.status, requestId: reply.requestId };
  return reply.kind === "problem" ? { ...common, code: reply.code } : common;
}

type ReplyContext = { readonly address: string; readonly scrub: Scrub; readonly now: number };

export function readReply(call: ApiCall, result: WireResult, context: ReplyContext): ApiReply {
  if (result.kind === "answer") return readResponse(call, result.response, context);
  // An unreadable page of a list counts as a lost answer, because a second request for a page may
  // succeed. A document that could not be read would be unreadable again.
  if (result.kind === "unreadable" && call.size === "item")
    return readResponse(call, result.response, context, result.why);
  const why = context.scrub(result.why, 200);
  const timedOut = "timedOut" in result;
  return { kind: "no-answer", sent: result.kind !== "not-sent", timedOut, detail: describeFailure(why), why };
}

function readResponse(
  call: ApiCall,
  response: WireResponse,
  { address, scrub, now }: ReplyContext,
  whyUnreadable?: string,
): ApiReply {
  const { status, headers } = response;
  const common: CommonMembers = {
    status,
    requestId: readRequestId(headers["x-request-id"], scrub),
    from: { url: address + removeQuery(call.path), contentType: readContentType(response) },
  };
  const retryAfter = readRetryAfterMs(headers["retry-after"], headers["date"], now);
  const reading = call.accept.includes(status)
    ? readSuccessReply(response, whyUnreadable)
    : readFailureReply(response, scrub);
  switch (reading.kind) {
    case "success":
      return { ...reading, ...common };
    case "problem":
      return { ...reading, ...common, requestId: reading.requestId ?? common.requestId, retryAfterMs: retryAfter };
    case "unreadable": {
      const summary = reading.summary ?? describeBody(common.from.contentType, response.body);
      return { kind: "unreadable", detail: reading.detail, summary, ...common, retryAfterMs: retryAfter };
    }
  }
}

type CommonMembers = { readonly status: number; readonly requestId: string | null; readonly from: AnswerOrigin };

/**
 * `detail`: message for users. `summary`: what the answer is, in a few words; null if the content
 * type and the body show what it is.
 */
type UnreadableAnswer = { readonly kind: "unreadable"; readonly detail: string; readonly summary: string | null };

function unreadable(detail: string, summary: string | null = null): UnreadableAnswer {
  return { kind: "unreadable", detail, summary };
}

function readSuccessReply(
  { status, body }: WireResponse,
  why: string | undefined,
): { kind: "success"; value: unknown } | UnreadableAnswer {
  if (why !== undefined) return unreadable(why, why);
  if (body === "") return { kind: "success", value: null };
  const json = parseJson(body);
  if (json.kind === "json") return { kind: "success", value: json.value };
  const detail = `the answer (${status}) is not readable: ${json.why}`;
  return unreadable(detail, json.kind === "too-much" ? json.why : null);
}

function readFailureReply({ status, headers, body }: WireResponse, scrub: Scrub): ServiceProblem | UnreadableAnswer {
  if (status >= 300 && status < 400) {
    const target = readRedirectOrigin(headers["location"]);
    const summary = target === null ? "a redirect" : `a redirect to ${scrub(target, 200)}`;
    return unreadable(
      `the answer (${status}) is ${summary}, and mdmirror follows no redirects; check the URL`,
      summary,
    );
  }
  if (status < 400) return unreadable(`the answer has an unexpected status (${status})`);
  const problem = readProblem(body, status, scrub);
  if (problem.kind === "problem") return problem;
  return unreadable(`the error answer (${status}) does not come from the service: ${problem.why}`);
}

/** Removes the query of a path, so that no cursor is logged. */
export function removeQuery(path: string): string {
  return path.replace(/\?.*$/s, "");
}

/**
 * Returns the origin of a redirect; null if its URL is invalid. Leaves out path and query, which
 * may contain secrets.
 */
function readRedirectOrigin(location: string | undefined): string | null {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : null;
}

// Matches the only date format that servers use today (IMF-fixdate). `Date.parse` alone would
// accept many strings that are no dates.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads the header `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3).
 * @param date value of the answer's `Date` header, which the server set with the same clock as
 * `Retry-After`
 * @param now milliseconds since the epoch, used if the answer has no `Date`
 * @returns milliseconds to wait, 0 or more; null if `Retry-After` is missing or unreadable
 */
export function readRetryAfterMs(header: string | undefined, date: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const retryTime = parseDate(value);
  if (retryTime === null) return null;
  return Math.max(0, retryTime - (parseDate(date?.trim() ?? "") ?? now));
}

function parseDate(value: string): number | null {
  if (!HTTP_DATE.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
