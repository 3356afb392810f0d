import { isDocId } from "../../contract/ids.ts";
import { isJsonObject, member } from "../../contract/json.ts";
import type { Fault } from "../ports/remote.ts";
import type { Origin } from "./foreign.ts";
import type { Failure } from "./reply.ts";
import type { readPage } from "./shapes.ts";

/**
 * Recognises answers that do not come from the service to a request for the first page of
 * documents: the service always answers that with a list envelope.
 */

/**
 * A refusal of a list for a reason that the service does not have. An answer that asks to try again
 * later may come from a proxy before the service.
 */
export function foreignRefusal(reply: Failure): Fault | null {
  if (reply.kind !== "unreadable" && reply.kind !== "problem") return null;
  const { status, from, requestId } = reply;
  if (status >= 500 || status === 429) return null;
  if (reply.kind === "unreadable") return notTheService(from, status, reply.looks, requestId);
  if (reply.code !== "not_found" && reply.code !== `status_${status}`) return null;
  return status === 401 ? null : notTheService(from, status, "JSON that is no list of documents", requestId);
}

/** What answered in place of the service, in a few words; null: it is a page of the service. */
export function foreignLooks(page: ReturnType<typeof readPage>, value: unknown): string | null {
  if (!page.ok) return looksOfJson(value);
  return isForeign(page.value.items) ? "a list of something else" : null;
}

/** Whether no item of a page comes from the service, whose items all have ids of its form. */
function isForeign(items: readonly unknown[]): boolean {
  return items.length > 0 && !items.some((item) => isJsonObject(item) && isDocId(member(item, "id")));
}

/**
 * Says in a few words what JSON this is; null where it is a list envelope, whatever else is wrong
 * with it.
 */
function looksOfJson(value: unknown): string | null {
  if (value === null) return "an empty answer";
  if (Array.isArray(value)) return "a JSON array";
  if (!isJsonObject(value)) return "JSON that is not an object";
  const envelope = ["object", "data", "hasMore"].filter((name) => member(value, name) === undefined);
  if (envelope.length > 0) return `JSON without ${envelope.map((name) => `"${name}"`).join(", ")}`;
  const isList = member(value, "object") === "list" && Array.isArray(member(value, "data"));
  return isList && typeof member(value, "hasMore") === "boolean" ? null : "a list of something else";
}

/** @param looks what came, in a few words */
export function notTheService(from: Origin, status: number, looks: string, requestId: string | null): Fault {
  const detail = `${from.url} answers ${status}, ${from.contentType}: ${looks}`;
  return { kind: "later", detail, requestId, cause: "not-the-service" };
}
