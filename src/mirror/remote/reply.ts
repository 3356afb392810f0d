import type { WireResponse } from "../../contract/wire.ts";
import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import type { LogFields } from "../ports/world.ts";
import type { Fault } from "../ports/remote.ts";
import { describeFailure, type WireResult } from "../../common/wire.ts";
import { parseJson } from "./shapes.ts";
import { DOCUMENTED_CODES, PROBLEM_CODES, type ProblemCode } from "../../contract/problem.ts";

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type ApiCall = {
  readonly method: HttpMethod;
  /** Path and query of the request, percent-encoded, relative to the base URL. */
  readonly path: string;
  readonly body: JsonObject | null;
  readonly accept: readonly number[];
  readonly size: "item" | "page";
};

export type ApiReply =
  /** An answer. `value`: the parsed JSON; null for an empty body. */
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
  /** The request was not sent, because the service asked for a longer pause than a call waits. */
  | { readonly kind: "paused"; readonly detail: string };

export type ApiFailure = Exclude<ApiReply, { readonly kind: "success" }>;

export function toLogFields(reply: ApiReply): Pick<LogFields, "outcome" | "why" | "status" | "requestId" | "code"> {
  if (reply.kind === "no-answer") return { outcome: reply.sent ? "lost" : "not-sent", why: reply.why ?? null };
  if (reply.kind === "paused") return { outcome: "paused" };
  const logFields = { outcome: reply.kind, status: reply.status, requestId: reply.requestId };
  return reply.kind === "problem" ? { ...logFields, code: reply.code } : logFields;
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
  const fields: CommonMembers = {
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
      return { ...reading, ...fields };
    case "problem":
      return { ...reading, ...fields, requestId: reading.requestId ?? fields.requestId, retryAfterMs: retryAfter };
    case "unreadable": {
      const summary = reading.summary ?? describeBody(fields.from.contentType, response.body);
      return { kind: "unreadable", detail: reading.detail, summary, ...fields, retryAfterMs: retryAfter };
    }
  }
}

type CommonMembers = { readonly status: number; readonly requestId: string | null; readonly from: AnswerOrigin };

/**
 * An answer that mdmirror cannot read. `detail`: message for users. `summary`: what the answer is,
 * in a few words; null if the content type and the body show what it is.
 */
type UnreadableAnswer = { readonly kind: "unreadable"; readonly detail: string; readonly summary: string | null };

function makeUnreadableAnswer(detail: string, summary: string | null = null): UnreadableAnswer {
  return { kind: "unreadable", detail, summary };
}

function readSuccessReply(
  { status, body }: WireResponse,
  why: string | undefined,
): { kind: "success"; value: unknown } | UnreadableAnswer {
  if (why !== undefined) return makeUnreadableAnswer(why, why);
  if (body === "") return { kind: "success", value: null };
  const json = parseJson(body);
  if (json.kind === "json") return { kind: "success", value: json.value };
  const detail = `the answer (${status}) is not readable: ${json.why}`;
  return makeUnreadableAnswer(detail, json.kind === "too-much" ? json.why : null);
}

function readFailureReply({ status, headers, body }: WireResponse, scrub: Scrub): ServiceProblem | UnreadableAnswer {
  if (status >= 300 && status < 400) {
    const target = readRedirectOrigin(headers["location"]);
    const summary = target === null ? "a redirect" : `a redirect to ${scrub(target, 200)}`;
    return makeUnreadableAnswer(
      `the answer (${status}) is ${summary}, and mdmirror follows no redirects; check the URL`,
      summary,
    );
  }
  if (status < 400) return makeUnreadableAnswer(`the answer has an unexpected status (${status})`);
  const problem = readProblem(body, status, scrub);
  if (problem.kind === "problem") return problem;
  return makeUnreadableAnswer(`the error answer (${status}) does not come from the service: ${problem.why}`);
}

/** Removes the query of a path, so that the log contains no cursor. */
export function removeQuery(path: string): string {
  return path.replace(/\?.*$/s, "");
}

/**
 * Returns the origin of a redirect; null for an invalid URL. Leaves out path and query, which may
 * contain secrets.
 */
function readRedirectOrigin(location: string | undefined): string | null {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : null;
}

// Matches IMF-fixdate, the only date format of servers today. `Date.parse` alone would accept many
// strings that are no dates.
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

/**
 * Error that the service itself reported in the form of the API, so that mdmirror acts on the code.
 */
type ServiceProblem = Omit<Extract<Fault, { kind: "problem" }>, "status">;

type UnreadableProblem = { readonly kind: "unreadable"; readonly why: string };

// LIMIT: number of items that are read from the member `errors`, so that a huge error answer takes
// little time and memory.
const MAX_ERRORS = 20;
const CODE_FORM = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Reads the body of an error answer. Without an error code in the body, the code is made from the
 * status, such as `status_404`, which is no documented code. A body that contradicts the status is
 * unreadable, and proves nothing.
 */
function readProblem(body: string, status: number, scrub: Scrub): ServiceProblem | UnreadableProblem {
  const json = parseJson(body);
  if (json.kind !== "json") return unreadableProblem(json.why);
  if (!isJsonObject(json.value)) return unreadableProblem("it is not a JSON object");
  const problem = json.value;
  const claimedStatus = member(problem, "status");
  if (claimedStatus !== undefined && claimedStatus !== status)
    return unreadableProblem("its status differs from the status of the answer");
  const code = readProblemCode(problem, status, scrub);
  if (code === null) return unreadableProblem("its error code has an unknown form");
  if (isDocumented(code) && PROBLEM_CODES[code].status !== status)
    return unreadableProblem("its code belongs to another status");
  const errors = member(problem, "errors");
  const fieldCodes = readErrorFields(errors, "code").filter((text) => isErrorCode(text, scrub));
  const detail = member(problem, "detail") ?? member(problem, "title");
  return {
    kind: "problem",
    code,
    detail: typeof detail === "string" ? scrub(detail) : "",
    requestId: readRequestId(member(problem, "requestId"), scrub),
    pointers: readErrorFields(errors, "pointer").map((pointer) => scrub(pointer, 200)),
    ...(fieldCodes.length > 0 && { fieldCodes }),
  };
}

function unreadableProblem(why: string): UnreadableProblem {
  return { kind: "unreadable", why };
}

function isDocumented(code: string): code is ProblemCode {
  return (DOCUMENTED_CODES as readonly string[]).includes(code);
}

/**
 * Returns the code of an error: the field `code`, or the end of the URL in `type`, or `status_` and
 * the status. Null if `code` is malformed or contains the key.
 */
function readProblemCode(problem: JsonObject, status: number, scrub: Scrub): string | null {
  const code = member(problem, "code");
  if (code !== undefined) return typeof code === "string" && isErrorCode(code, scrub) ? code : null;
  const type = member(problem, "type");
  const codeInType = typeof type === "string" ? /\/errors\/([a-z0-9-]{1,64})$/.exec(type.slice(-200))?.[1] : undefined;
  const fromType = codeInType?.replaceAll("-", "_") ?? "";
  return isErrorCode(fromType, scrub) ? fromType : `status_${status}`;
}

/** Returns true for a well-formed error code without the key, because codes are logged. */
function isErrorCode(text: string, scrub: Scrub): boolean {
  return CODE_FORM.test(text) && scrub(text) === text;
}

function readErrorFields(errors: unknown, name: "code" | "pointer"): string[] {
  if (!Array.isArray(errors)) return [];
  const entries = errors.slice(0, MAX_ERRORS).filter(isJsonObject);
  return entries.map((entry) => member(entry, name)).filter((text) => typeof text === "string");
}

/**
 * Returns a request id for the log: printable ASCII of at most 128 characters, in which the key is
 * replaced. Returns null for any other value.
 */
function readRequestId(value: unknown, scrub: Scrub): string | null {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) ? scrub(value) : null;
}

export type AnswerOrigin = { readonly url: string; readonly contentType: string };

const MAX_TYPE_LENGTH = 60;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

function readContentType({ headers }: WireResponse): string {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return type.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : "no content type";
}

// LIMIT: number of characters of the body that are searched, because the beginning of a web page is
// enough to recognise the page.
const SEARCHED_CHARACTERS = 65_536;

/**
 * Describes a body that is not JSON, for messages. Another program than the service sent the
 * answer, such as a file server or a Wi-Fi portal. Never quotes the body.
 */
function describeBody(contentType: string, body: string): string {
  const bodyStart = body.slice(0, SEARCHED_CHARACTERS).trimStart();
  if (bodyStart === "") return "an empty answer";
  if (contentType === "text/html" || /^<(?:!doctype html|html)\b/i.test(bodyStart))
    return /type\s*=\s*["']?password|\b(?:log|sign)[ -]?in\b/i.test(bodyStart) ? "a login page" : "a web page";
  if (bodyStart.startsWith("<?xml")) return "XML";
  return "text that is not JSON";
}

export type Scrub = (text: string, maxLength?: number) => string;

const DEFAULT_MAX_LENGTH = 500;
// Matches a string without spaces and control characters, in which only the key has to be replaced.
// Most strings are request ids, which match.
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\p{Bidi_Control}]+/gu;

/**
 * Returns a function that replaces the key in a string, because a service or proxy may send the key
 * back (I30). The function also removes control characters and shortens the string.
 */
export function createScrub(key: string): Scrub {
  return (text, maxLength = DEFAULT_MAX_LENGTH) => {
    if (text.length <= maxLength && PRINTABLE_ASCII.test(text) && !text.includes(key)) return text;
    // ORDER: the key is replaced before the string is shortened, because a shortened key would not
    // be recognised.
    const cleanText = text.replaceAll(key, "[key]").replace(UNPRINTABLE, " ").trim();
    return cleanText.length > maxLength ? `${cleanText.slice(0, maxLength - 1)}…` : cleanText;
  };
}
