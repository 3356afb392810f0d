import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import { DOCUMENTED_CODES, PROBLEM_CODES, type ProblemCode } from "../../contract/problem.ts";
import { parseJson } from "./json.ts";
import type { Scrub } from "./scrub.ts";

/** A refusal by the service itself, so that mdmirror may act on its code. */
export type ReadProblem = {
  readonly kind: "problem";
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  /** JSON Pointers of the faulty fields. */
  readonly pointers: readonly string[];
  /** Codes of faults in fields of the request. Undefined if the answer has none. */
  readonly fieldCodes?: readonly string[];
};

type NoProblem = { readonly kind: "unreadable"; readonly why: string };

// LIMIT: entries of `errors` that are read.
const MAX_POINTERS = 20;
const CODE_FORM = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Reads an error body. An object without a code gets a code from its status (`status_404`), which
 * never equals a documented code. If a documented code comes with another status, or the `status`
 * field differs from the answer's, the body is contradictory and proves nothing.
 */
export function readProblem(body: string, status: number, scrub: Scrub): ReadProblem | NoProblem {
  const json = parseJson(body);
  if (json.kind !== "json") return unreadable(json.why);
  if (!isJsonObject(json.value)) return unreadable("it is not a JSON object");
  const problem = json.value;
  const claimed = member(problem, "status");
  if (claimed !== undefined && claimed !== status)
    return unreadable("its status differs from the status of the answer");
  const code = codeOf(problem, status, scrub);
  if (code === null) return unreadable("its error code has an unknown form");
  if (isDocumented(code) && PROBLEM_CODES[code].status !== status)
    return unreadable("its code belongs to another status");
  const errors = member(problem, "errors");
  const fieldCodes = textsOf(errors, "code").filter((text) => isCode(text, scrub));
  const detail = member(problem, "detail") ?? member(problem, "title");
  return {
    kind: "problem",
    code,
    detail: typeof detail === "string" ? scrub(detail) : "",
    requestId: readRequestId(member(problem, "requestId"), scrub),
    pointers: textsOf(errors, "pointer").map((pointer) => scrub(pointer, 200)),
    ...(fieldCodes.length > 0 && { fieldCodes }),
  };
}

function unreadable(why: string): NoProblem {
  return { kind: "unreadable", why };
}

function isDocumented(code: string): code is ProblemCode {
  return (DOCUMENTED_CODES as readonly string[]).includes(code);
}

/**
 * Returns the code of a refusal: the field `code`. Without this field: the last segment of `type`,
 * otherwise `status_` and the status. The contract says that `type` "may be branched on". Null if
 * `code` is present but malformed or contains the key.
 */
function codeOf(problem: JsonObject, status: number, scrub: Scrub): string | null {
  const code = member(problem, "code");
  if (code !== undefined) return typeof code === "string" && isCode(code, scrub) ? code : null;
  const type = member(problem, "type");
  const named = typeof type === "string" ? /\/errors\/([a-z0-9-]{1,64})$/.exec(type.slice(-200))?.[1] : undefined;
  const fromType = named?.replaceAll("-", "_") ?? "";
  return isCode(fromType, scrub) ? fromType : `status_${status}`;
}

/**
 * Returns true if the text can be an error code. A key may look like a code, so a key that the
 * service echoes does not count.
 */
function isCode(text: string, scrub: Scrub): boolean {
  return CODE_FORM.test(text) && scrub(text) === text;
}

/** Returns the texts of one field of each entry of `errors`. */
function textsOf(errors: unknown, name: "code" | "pointer"): string[] {
  if (!Array.isArray(errors)) return [];
  const entries = errors.slice(0, MAX_POINTERS).filter(isJsonObject);
  return entries.map((entry) => member(entry, name)).filter((text) => typeof text === "string");
}

/**
 * Returns a request id that may be shown and logged: printable ASCII, at most 128 characters; null
 * for any other value.
 */
export function readRequestId(value: unknown, scrub: Scrub): string | null {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) ? scrub(value) : null;
}
