/**
 * Describes an answer that is not JSON. Such an answer may come from a file server, a login page, a
 * captive portal or another API.
 */

import type { WireResponse } from "../../contract/wire.ts";

/** URL and content type of an answer, for messages. */
export type Origin = { readonly url: string; readonly contentType: string };

const MAX_TYPE_LENGTH = 60;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

/** Returns `text/html`, without parameters; `no content type` if there is none. */
export function contentTypeOf({ headers }: WireResponse): string {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return type.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : "no content type";
}

// LIMIT: characters that are examined, because the beginning of a page shows its kind.
const SEARCHED_CHARACTERS = 65_536;

/** Describes a body that is not JSON in a few words; never quotes the body. */
export function describeBody(contentType: string, body: string): string {
  const head = body.slice(0, SEARCHED_CHARACTERS).trimStart();
  if (head === "") return "an empty answer";
  if (contentType === "text/html" || /^<(?:!doctype html|html)\b/i.test(head))
    return /type\s*=\s*["']?password|\b(?:log|sign)[ -]?in\b/i.test(head) ? "a login page" : "a web page";
  if (head.startsWith("<?xml")) return "XML";
  return "text that is not JSON";
}
