import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import { DOCUMENTED_CODES, PROBLEM_CODES, type ProblemCode } from "../../contract/problem.ts";
import { parseJson } from "./json.ts";
import type { Scrub } from "./scrub.ts";

/** Error that the service itself reported in the form of the API. mdmirror acts on its code. */
export type ServiceProblem = {
  readonly kind: "problem";
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  /** JSON Pointers of the refused fields in the request. */
  readonly pointers: readonly string[];
  /** Error codes of the refused fields. Undefined if the answer has none. */
  readonly fieldCodes?: readonly string[];
};

type UnreadableProblem = { readonly kind: "unreadable"; readonly why: string };

// LIMIT: number of items in the member `errors` that are read, so that a huge error answer takes
// little time and memory.
const MAX_ERRORS = 20;
const CODE_FORM = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Reads the body of an error answer. If a body names no error code, its code is made from the
 * status of the answer, such as `status_404`, which is no documented code. A body that contradicts
 * the status of its answer is unreadable, and proves nothing.
 */
export function readProblem(body: string, status: number, scrub: Scrub): ServiceProblem | UnreadableProblem {
  const json = parseJson(body);
  if (json.kind !== "json") return unreadable(json.why);
  if (!isJsonObject(json.value)) return unreadable("it is not a JSON object");
  const problem = json.value;
  const claimed = member(problem, "status");
  if (claimed !== undefined && claimed !== status)
    return unreadable("its status differs from the status of the answer");
  const code = readProblemCode(problem, status, scrub);
  if (code === null) return unreadable("its error code has an unknown form");
  if (isDocumented(code) && PROBLEM_CODES[code].status !== status)
    return unreadable("its code belongs to another status");
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

function unreadable(why: string): UnreadableProblem {
  return { kind: "unreadable", why };
}

function isDocumented(code: string): code is ProblemCode {
  return (DOCUMENTED_CODES as readonly string[]).includes(code);
}

/**
 * Returns the code of an error: the field `code`, or the end of the URL in `type`, or `status_` and
 * the status. Returns null if `code` is malformed or contains the key.
 */
function readProblemCode(problem: JsonObject, status: number, scrub: Scrub): string | null {
  const code = member(problem, "code");
  if (code !== undefined) return typeof code === "string" && isErrorCode(code, scrub) ? code : null;
  const type = member(problem, "type");
  const codeInType = typeof type === "string" ? /\/errors\/([a-z0-9-]{1,64})$/.exec(type.slice(-200))?.[1] : undefined;
  const fromType = codeInType?.replaceAll("-", "_") ?? "";
  return isErrorCode(fromType, scrub) ? fromType : `status_${status}`;
}

/** Refuses a string that contains the key, because codes are logged. */
function isErrorCode(text: string, scrub: Scrub): boolean {
  return CODE_FORM.test(text) && scrub(text) === text;
}

function readErrorFields(errors: unknown, name: "code" | "pointer"): string[] {
  if (!Array.isArray(errors)) return [];
  const entries = errors.slice(0, MAX_ERRORS).filter(isJsonObject);
  return entries.map((entry) => member(entry, name)).filter((text) => typeof text === "string");
}

/**
 * Returns `value` if it is a request id that can be logged: printable ASCII of at most 128
 * characters, without the key. Returns null for any other value.
 */
export function readRequestId(value: unknown, scrub: Scrub): string | null {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) ? scrub(value) : null;
}
