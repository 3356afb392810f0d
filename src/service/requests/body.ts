import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { type Refused, refuse } from "./answer.ts";

/**
 * Reason why a transport could not read a request. If it is `too-large` or `unreadable`, only the
 * body could not be read, and the headers are valid.
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
 * ASSUMES: a body has at most 1 MiB. The service does not read a longer one. Content and a path of
 * the greatest length take 0.7 MiB as JSON: a character outside the BMP takes up to twelve bytes
 * (contract test "bounds the body").
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

export type SentBody = { readonly text: string | null; readonly fault: BodyFault | null };

export function readObject(body: SentBody): JsonObject | Refused {
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
 * A UTF-16 unit takes at most three bytes in UTF-8. So for most bodies the number of units shows
 * that they are short enough, and their bytes need not be counted.
 */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(text) > MAX_BODY_BYTES;
}
