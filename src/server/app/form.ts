import type { WireRequest } from "../../contract/wire.ts";
import { withLineEnds } from "../../merge/line-ends.ts";
import type { BodyFault } from "../body.ts";

/** What forms send. */

const FORM = "application/x-www-form-urlencoded";

/** @returns null: what was sent is no form; a page has an empty one */
export function formOf({ method, headers, body }: WireRequest, fault: BodyFault | null): URLSearchParams | null {
  if (method !== "POST") return new URLSearchParams();
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return fault !== null || type !== FORM ? null : new URLSearchParams(body ?? "");
}

/**
 * A text from a `textarea`, in which a browser writes every line end as CRLF.
 * @param like the text that it was made of, whose line ends it gets
 */
export function textFrom(form: URLSearchParams, name: string, like: string): string {
  return withLineEnds(form.get(name) ?? "", like);
}
