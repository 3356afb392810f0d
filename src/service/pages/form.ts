import type { WireRequest } from "../../contract/wire.ts";
import { withLineEnds } from "../../markdown/merge/line-ends.ts";
import type { BodyFault } from "../requests/body.ts";

/** Reads the input of forms. */

const FORM = "application/x-www-form-urlencoded";

/** @returns null if the input is not a form. A request for a page has an empty form. */
export function formOf({ method, headers, body }: WireRequest, fault: BodyFault | null): URLSearchParams | null {
  if (method !== "POST") return new URLSearchParams();
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return fault !== null || type !== FORM ? null : new URLSearchParams(body ?? "");
}

/**
 * Returns the value of a `textarea`, for which browsers send each line end as CRLF.
 * @param like the text that the form began with: the result gets its line ends
 */
export function textFrom(form: URLSearchParams, name: string, like: string): string {
  return withLineEnds(form.get(name) ?? "", like);
}
