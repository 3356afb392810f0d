import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { type Refused, refuse } from "./answer.ts";

/**
 * Reason why a transport did not pass a body on as text. All reasons except the first two concern
 * the whole request.
 */
export type BodyFault =
  | "too-large"
  | "unreadable"
  | "not-http"
  | "headers-too-large"
  | "too-slow"
  | "no-host"
  | "repeated-header"
  | "unknown-expectation"
  | "overloaded";

/**
 * ASSUMES: a body has at most 1 MiB; a longer body is not read. The longest content with the
 * longest path takes 0.7 MiB as JSON, with twelve bytes for a character outside the BMP (contract
 * test "bounds the body").
 */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Returns the refusal of a request that the transport did not accept.
 * @returns null if the transport accepted the request
 */
export function refuseRequest(fault: BodyFault | null): Refused | null {
  switch (fault) {
    case null:
    case "too-large":
    case "unreadable":
      return null;
    case "not-http":
      return refuse("invalid_request", "The request is not valid HTTP.");
    case "headers-too-large":
      return refuse("invalid_request", "The request line and the headers are too long.");
    case "no-host":
      return refuse("invalid_request", "The header Host is missing.");
    case "repeated-header":
      return refuse("invalid_request", "The header Host or Authorization came more than once.");
    case "unknown-expectation":
      return refuse("invalid_request", "The header Expect may only be 100-continue.");
    // ASSUMES: the service has not begun a request that came too slowly, or with too many others.
    // The answer is 503 with Retry-After, as for a closed workspace.
    case "too-slow":
      return refuse("service_unavailable", "The request arrived too slowly.", [], { "retry-after": "1" });
    case "overloaded":
      return refuse("service_unavailable", "The service has too much to do; nothing was done.", [], {
        "retry-after": "2",
      });
  }
}

export type SentBody = { readonly text: string | null; readonly fault: BodyFault | null };

/**
 * Reads a body as a JSON object.
 * @returns its members, or the refusal of anything else
 */
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

/** Only long texts are measured: a UTF-16 unit takes at most three bytes. */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(text) > MAX_BODY_BYTES;
}
