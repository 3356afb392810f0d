/**
 * Describes, for messages, answers of programs other than the service, such as a file server, a
 * login page or a Wi-Fi portal.
 */

import type { WireResponse } from "../../contract/wire.ts";

export type AnswerOrigin = { readonly url: string; readonly contentType: string };

const MAX_TYPE_LENGTH = 60;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

export function readContentType({ headers }: WireResponse): string {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return type.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : "no content type";
}

// LIMIT: number of characters of the body that are searched. The beginning of a web page is enough
// to recognise the page.
const SEARCHED_CHARACTERS = 65_536;

/** Describes a body that is not JSON, such as `a login page`. Never quotes the body. */
export function describeBody(contentType: string, body: string): string {
  const bodyStart = body.slice(0, SEARCHED_CHARACTERS).trimStart();
  if (bodyStart === "") return "an empty answer";
  if (contentType === "text/html" || /^<(?:!doctype html|html)\b/i.test(bodyStart))
    return /type\s*=\s*["']?password|\b(?:log|sign)[ -]?in\b/i.test(bodyStart) ? "a login page" : "a web page";
  if (bodyStart.startsWith("<?xml")) return "XML";
  return "text that is not JSON";
}
