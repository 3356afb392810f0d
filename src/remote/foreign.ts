import { isJsonObject, member } from "../contract/json.ts";
import type { WireResponse } from "../contract/wire.ts";
import type { Fault } from "../ports/remote.ts";

/**
 * What answers in the place of the service: a file server, a login page, a captive portal, another
 * API. The first page of the documents tells it, since the service always answers one with a list
 * envelope.
 */

/** Where an answer came from and what it said it was. Both are shown. */
export type Origin = { readonly url: string; readonly contentType: string };

const MAX_TYPE_LENGTH = 60;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

/** `text/html`, without parameters; `no content type` for what is none. */
export function contentTypeOf({ headers }: WireResponse): string {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return type.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : "no content type";
}

// LIMIT: a page says what it is at its beginning.
const LOOKED_AT = 65_536;

/** A few words about a body that is no JSON; never a part of it. */
export function looksOf(contentType: string, body: string): string {
  const head = body.slice(0, LOOKED_AT).trimStart();
  if (head === "") return "an empty answer";
  if (contentType === "text/html" || /^<(?:!doctype html|html)\b/i.test(head))
    return /type\s*=\s*["']?password|\b(?:log|sign)[ -]?in\b/i.test(head) ? "a login page" : "a web page";
  if (head.startsWith("<?xml")) return "XML";
  return "text that is not JSON";
}

/**
 * A few words about JSON that is no list envelope; null where it is one, whatever else is wrong
 * with it.
 */
export function looksOfJson(value: unknown): string | null {
  if (value === null) return "an empty answer";
  if (Array.isArray(value)) return "a JSON array";
  if (!isJsonObject(value)) return "JSON that is not an object";
  const envelope = ["object", "data", "hasMore"].filter((name) => member(value, name) === undefined);
  if (envelope.length > 0) return `JSON without ${envelope.map((name) => `"${name}"`).join(", ")}`;
  const isList = member(value, "object") === "list" && Array.isArray(member(value, "data"));
  return isList && typeof member(value, "hasMore") === "boolean" ? null : "a list of something else";
}

/** @param looks a few words, of `looksOf` or `looksOfJson` */
export function notTheService(from: Origin, status: number, looks: string, requestId: string | null): Fault {
  const detail = `${from.url} answers ${status}, ${from.contentType}: ${looks}`;
  return { kind: "later", detail, requestId, cause: "not-the-service" };
}
