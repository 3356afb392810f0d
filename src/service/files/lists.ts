import type { AnsweredFile, AnsweredFolder } from "../../contract/api/resources.ts";
import { type Answer, done, type Refused, refuse } from "../requests/answer.ts";
import type { Call, RequestContext } from "../requests/context.ts";
import { openCursor, sealCursor } from "../requests/cursor.ts";

/**
 * Pages of files and folders (`src/contract/README.md`, "Pagination rules"), always in the order of
 * creation, which renaming does not change.
 */

export type Selection =
  | { readonly kind: "none" }
  | { readonly kind: "path" | "path-prefix"; readonly path: string }
  | { readonly kind: "parent-id"; readonly id: string };

type ListCall = Call<"listFiles" | "listFolders">;

export function selectorOf({ path, path_prefix: prefix, parent_id: id }: ListCall["query"]): Selection {
  if (path !== undefined) return { kind: "path", path };
  if (prefix !== undefined) return { kind: "path-prefix", path: prefix };
  return id === undefined ? { kind: "none" } : { kind: "parent-id", id };
}

/** A request for rows after a place: one row more than the page has. */
export type PageRequest = { readonly limit: number; readonly after: number; readonly boundTo: string };

export function readPage({ context, query }: ListCall, url: string, selector: Selection): PageRequest | Refused {
  const { limit, cursor } = query;
  const boundTo = JSON.stringify([context.workspace.id, url, selector]);
  if (cursor === undefined) return { limit, after: 0, boundTo };
  const after = openCursor(context.cursorSecret, boundTo, cursor);
  if (after !== null) return { limit, after, boundTo };
  return refuse("invalid_cursor", "The cursor is malformed, or another query issued it; start again without one.");
}

/**
 * Returns the envelope of a page. Items that the key may not read are dropped after the page was
 * read, so a page may be short or empty and still have a cursor.
 * @param seqs numbers of up to limit + 1 rows
 * @param items resources of the rows; null if the key may not read the resource
 */
export function pageOf(
  { cursorSecret }: RequestContext,
  url: string,
  { limit, boundTo }: PageRequest,
  seqs: readonly number[],
  items: readonly (AnsweredFile | AnsweredFolder | null)[],
): Answer {
  const hasMore = seqs.length > limit;
  const nextCursor = hasMore ? sealCursor(cursorSecret, boundTo, seqs[limit - 1]!) : null;
  const data = items.slice(0, limit).filter((item) => item !== null);
  return done(200, { object: "list", url, data, hasMore, nextCursor });
}
