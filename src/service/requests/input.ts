/**
 * Reads the input of a request: the schemas of the operation validate the body and the query.
 * Invalid input is refused as the contract requires.
 */
import { decodePercents } from "../../contract/path.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { isRefused, refuse, type Refused, refuseFields } from "./answer.ts";
import { z } from "zod";
import { type FieldFault, makePointer } from "../../contract/api/fields.ts";
import { type FieldCode, type FieldError, MAX_FIELD_ERRORS, type ProblemCode } from "../../contract/problem.ts";

/**
 * Reason why a transport could not read a request. With `too-large` or `unreadable`, only the body
 * could not be read, and the headers are valid.
 */
export type BodyFault =
  | "too-large"
  | "unreadable"
  | "not-http"
  | "headers-too-large"
  | "too-slow"
  | "no-host"
  | "repeated-header"
  | "overloaded";

/**
 * ASSUMES: a body has at most 1 MiB. The service does not read a longer body. Content and a path of
 * the greatest length take 0.7 MiB as JSON, because a character outside the BMP takes up to twelve
 * bytes (contract test "bounds the body").
 */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Text of the refusal for each fault. If seconds follow the text, the answer is 503 with these
 * seconds in Retry-After; otherwise it is 400.
 * ASSUMES: a 503 means that the service did nothing, so the client may send the request again.
 */
const REFUSAL_TEXTS: Readonly<Record<Exclude<BodyFault, "too-large" | "unreadable">, readonly [string, string?]>> = {
  "not-http": ["The request is not valid HTTP."],
  "headers-too-large": ["The request line and the headers are too long."],
  "no-host": ["The header Host is missing."],
  "repeated-header": ["The header Host or Authorization came more than once."],
  "too-slow": ["The request arrived too slowly.", "1"],
  overloaded: ["The service has too much to do; nothing was done.", "2"],
};

/**
 * Returns the refusal of a request with this fault. Returns null if there is no fault, or if only
 * the body could not be read.
 */
export function refuseRequest(fault: BodyFault | null): Refused | null {
  if (fault === null || fault === "too-large" || fault === "unreadable") return null;
  const [detail, retryAfter] = REFUSAL_TEXTS[fault];
  return retryAfter === undefined
    ? refuse("invalid_request", detail)
    : refuse("service_unavailable", detail, [], { "retry-after": retryAfter });
}

type SentBody = { readonly text: string | null; readonly fault: BodyFault | null };

function readObject(body: SentBody): JsonObject | Refused {
  if (body.fault === "too-large" || isTooLong(body.text ?? "")) {
    return refuse("invalid_request", `The body has more than ${MAX_BODY_BYTES} bytes.`);
  }
  if (body.fault !== null) return refuse("invalid_request", "The body is incomplete or not UTF-8.");
  if (body.text === null || body.text === "") return refuse("invalid_request", "A JSON body is required.");
  try {
    const value: unknown = JSON.parse(body.text);
    if (isJsonObject(value)) return value;
  } catch {
    return refuse("invalid_request", "The body is not valid JSON.");
  }
  return refuse("invalid_request", "The body must be a JSON object.");
}

/**
 * A UTF-16 unit takes at most three bytes in UTF-8. So for most bodies, the number of units shows
 * that the body is short enough, and the bytes need not be counted.
 */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(text) > MAX_BODY_BYTES;
}

type InputFault = FieldError & { readonly problem: ProblemCode };

export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | Refused {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return makeRefusal(schema instanceof z.ZodUnion ? listShapeFaults(schema, value) : listFaults(result.error, value));
}

const NO_PARAMETERS = z.strictObject({});

type SentRequest = { readonly id: string; readonly query: string; readonly body: SentBody };

/** Validates query, id and body, in this order. Returns the values or the first refusal. */
export function readInput({ query: parameters = NO_PARAMETERS, id, body }: InputSchemas, sent: SentRequest) {
  const queryTexts = readQuery(sent.query);
  const query = isRefused(queryTexts) ? queryTexts : validate(parameters, queryTexts);
  if (isRefused(query)) return query;
  const validId = id === undefined ? sent.id : validate(id, sent.id);
  if (isRefused(validId)) return validId;
  const bodyMembers = body === undefined ? null : readObject(sent.body);
  const validBody = isRefused(bodyMembers) || body === undefined ? bodyMembers : validate(body, bodyMembers);
  return isRefused(validBody) ? validBody : { query, id: validId, body: validBody };
}

type InputSchemas = {
  readonly query?: z.ZodObject | undefined;
  readonly id?: z.ZodType<string>;
  readonly body?: z.ZodType | undefined;
};

/**
 * Codes for faults in the shape of a request. If a request has such faults, faults in the values of
 * its fields are not reported, because the shape may have caused those faults.
 */
const SHAPE_CODES: ReadonlySet<FieldCode> = new Set(["unknown", "required", "wrong_type", "mutually_exclusive"]);

function makeRefusal(found: readonly InputFault[]): Refused {
  const shapeFaults = found.filter(({ code }) => SHAPE_CODES.has(code));
  const faults = shapeFaults.length > 0 ? shapeFaults : found;
  const problem = faults[0]?.problem ?? "invalid_request";
  const errors = new Map<string, FieldError>();
  for (const { problem: of, ...error } of faults) {
    if (of === problem && !errors.has(error.pointer)) errors.set(error.pointer, error);
  }
  const fields = [...errors.values()].filter(({ pointer }) => pointer !== "");
  if (problem === "invalid_request" && fields.length > 0) return refuseFields(fields);
  return refuse(problem, faults[0]?.detail ?? "The request is malformed.", fields);
}

function listFaults({ issues }: z.core.$ZodError, value: unknown): InputFault[] {
  const unknownFields = issues.flatMap((issue) => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, MAX_FIELD_ERRORS) : [];
    return keys.map((key) => makeFault("unknown", [...issue.path, key], "is not supported"));
  });
  const otherIssues = issues.filter(({ code }) => code !== "unrecognized_keys");
  return [...unknownFields, ...otherIssues.map((issue) => toFault(issue, value))];
}

/**
 * Returns the faults of a body that may have one of several forms. Checks the body against the
 * first form whose first field was sent; without such a form, against the last form. If the body
 * has fields of two forms, reports only that fault.
 */
function listShapeFaults({ options }: z.ZodUnion, value: unknown): InputFault[] {
  const shapes = options.map((option) => Object.keys((option as z.ZodObject).shape));
  const isSentIn = (name: string) => isSent(value, [name]);
  const sentIndex = shapes.findIndex(([first]) => isSentIn(first!));
  const index = sentIndex < 0 ? shapes.length - 1 : sentIndex;
  const chosenShape = shapes[index]!;
  const areAlternatives = shapes.every(({ length }) => length === 1);
  const otherFields = shapes.flat().filter((name) => isSentIn(name) && !chosenShape.includes(name));
  if (sentIndex >= 0 && otherFields.length > 0) {
    const fieldsTogether = [chosenShape[0]!, ...otherFields];
    const makeClause = (name: string) =>
      `cannot be sent together with ${fieldsTogether.filter((field) => field !== name).join(", ")}`;
    const members = areAlternatives ? fieldsTogether : fieldsTogether.slice(0, 1);
    return members.map((name) => makeFault("mutually_exclusive", [name], makeClause(name)));
  }
  const { error } = (options[index] as z.ZodType).safeParse(value);
  const faults = error === undefined ? [] : listFaults(error, value);
  if (!areAlternatives || sentIndex >= 0) return faults;
  const unknownFaults = faults.filter(({ code }) => code === "unknown");
  return unknownFaults.length > 0 ? unknownFaults : [makeFault("required", [], `needs one of ${shapes.join(", ")}`)];
}

/** Names of types for messages. Every number in a request is an integer. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a whole number",
  boolean: "true or false",
  string: "a string",
  object: "an object",
  array: "an array",
};

function toFault(issue: z.core.$ZodIssue, value: unknown): InputFault {
  const { path } = issue;
  switch (issue.code) {
    case "invalid_type":
      return isSent(value, path)
        ? makeFault("wrong_type", path, `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`)
        : makeFault("required", path, "is missing");
    case "too_big":
      return issue.origin === "string"
        ? makeFault("too_long", path, `must have at most ${issue.maximum} characters`)
        : makeFault("out_of_range", path, `must be at most ${issue.maximum}`);
    case "too_small":
      return makeFault("out_of_range", path, `must be at least ${issue.minimum}`);
    case "invalid_value":
      return makeFault("out_of_range", path, `must be one of ${issue.values.join(", ")}`);
    case "custom": {
      const { code, problem = "invalid_request" } = issue.params as Pick<FieldFault, "code" | "problem">;
      return { code, pointer: makePointer(...path), detail: issue.message, problem };
    }
    default:
      return makeFault("invalid_format", path, issue.message);
  }
}

/** Returns true if the field was sent. Zod reports an absent field as undefined. */
function isSent(value: unknown, path: readonly PropertyKey[]): boolean {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null || !Object.hasOwn(member, name)) return false;
    member = (member as Readonly<Record<PropertyKey, unknown>>)[name];
  }
  return true;
}

/** @param clause clause about the fault, whose subject is the field or parameter */
function makeFault(code: FieldCode, path: readonly PropertyKey[], clause: string): InputFault {
  const pointer = makePointer(...path);
  return { code, pointer, detail: `${pointer.slice(1) || "The body"} ${clause}.`, problem: "invalid_request" };
}

/**
 * Returns the parameters of a query, each of which may appear only once.
 * @param text the part after `?`, percent-encoded
 */
function readQuery(text: string): Readonly<Record<string, string>> | Refused {
  const query = Object.create(null) as Record<string, string>;
  const errors: FieldError[] = [];
  for (const part of text === "" ? [] : text.split("&")) {
    if (errors.length === MAX_FIELD_ERRORS) break;
    const [name, value] = decodePair(part);
    if (name === null || value === null)
      errors.push(makeMalformedFault(name ?? "", "The query is not valid percent-encoded UTF-8."));
    else if (name in query) errors.push(makeMalformedFault(name, "The parameter is sent more than once."));
    else query[name] = value;
  }
  return errors.length > 0 ? refuseFields(errors) : query;
}

function decodePair(part: string): readonly [name: string | null, value: string | null] {
  const equalsIndex = part.indexOf("=");
  return equalsIndex < 0
    ? [decodeQueryText(part), ""]
    : [decodeQueryText(part.slice(0, equalsIndex)), decodeQueryText(part.slice(equalsIndex + 1))];
}

function makeMalformedFault(name: string, detail: string): FieldError {
  return { code: "invalid_format", pointer: makePointer(name), detail };
}

function decodeQueryText(text: string): string | null {
  return decodePercents(text.replaceAll("+", " "));
}

/** Decodes one path segment; returns it unchanged if its percent-encoding is not valid. */
export function decodeSegment(segment: string): string {
  return decodePercents(segment) ?? segment;
}
