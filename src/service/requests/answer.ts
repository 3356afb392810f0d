import { GENERATION_HEADER, type WireHeaders, type WireResponse } from "../../contract/wire.ts";
import {
  type FieldError,
  MAX_FIELD_ERRORS,
  PROBLEM_CODES,
  type ProblemCode,
  makeProblemType,
} from "../../contract/problem.ts";

/** Converts a sentence to a clause, such as `The key is gone.` to `the key is gone`. */
export function toClause(sentence: string): string {
  return sentence.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

export type DoneAnswer = {
  readonly kind: "done";
  readonly status: 200 | 201 | 202 | 204;
  readonly json: string;
};

/**
 * Property by which a refusal is recognised. JSON cannot contain this property, so a parsed body is
 * never taken for a refusal.
 */
const REFUSED_MARK: unique symbol = Symbol("refused");

export type Refused = {
  readonly [REFUSED_MARK]: true;
  readonly kind: "refused";
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
};

export type Answer = DoneAnswer | Refused;

export function makeDone(status: 200 | 201 | 202, body: unknown): DoneAnswer {
  return { kind: "done", status, json: JSON.stringify(body) };
}

export function makeDoneFromJson(json: string): DoneAnswer {
  return { kind: "done", status: 200, json };
}

export const DELETED_ANSWER: DoneAnswer = { kind: "done", status: 204, json: "" };

export function refuse(
  code: ProblemCode,
  detail: string,
  errors: readonly FieldError[] = [],
  headers: Readonly<Record<string, string>> = {},
): Refused {
  return { [REFUSED_MARK]: true, kind: "refused", code, detail, errors, headers };
}

export function refuseFields(errors: readonly FieldError[]): Refused {
  return refuse("invalid_request", errors[0]?.detail ?? "The request is malformed.", errors.slice(0, MAX_FIELD_ERRORS));
}

export function isRefused(value: unknown): value is Refused {
  return typeof value === "object" && value !== null && REFUSED_MARK in value;
}

/**
 * Converts an answer to the form of the API. A refusal becomes a problem with all documented
 * fields.
 * @param generation generation of the database, which is sent as a header; null for no such header
 */
export function toWire(
  answer: Answer,
  requestId: string,
  docsBase: string,
  generation: string | null = null,
): WireResponse {
  const generationHeader = generation === null ? null : { [GENERATION_HEADER]: generation };
  const commonHeaders: WireHeaders = { "x-request-id": requestId, "cache-control": "no-store", ...generationHeader };
  if (answer.kind === "done") {
    const { status, json } = answer;
    const contentType = status === 204 ? {} : { "content-type": "application/json; charset=utf-8" };
    return { status, headers: { ...commonHeaders, ...contentType }, body: json };
  }
  const { status, title } = PROBLEM_CODES[answer.code];
  const problem = {
    type: makeProblemType(docsBase, answer.code),
    title,
    status,
    code: answer.code,
    detail: answer.detail,
    requestId,
    ...(answer.errors.length > 0 ? { errors: answer.errors } : {}),
  };
  const headers = { ...commonHeaders, "content-type": "application/problem+json", ...answer.headers };
  return { status, headers, body: JSON.stringify(problem) };
}
