import type { DirId, DocId } from "./ids.ts";
import type { Selector } from "./resources.ts";

export const FILES = "/v1/files";
export const FOLDERS = "/v1/folders";
/**
 * Paths of the two searches. A search is a POST of JSON: `{query, limit?, includeSources?}`.
 * ASSUMES: both searches also have `path_prefix` (contract tests "searches below a prefix alone:
 * search", "searches below a prefix alone: regex search").
 */
export const SEARCH_HYBRID_PATH = "/v1/search/hybrid";
export const SEARCH_REGEX_PATH = "/v1/search/regex";
/** Path of the stream of changes (`events.ts`), which not every deployment offers. */
export const EVENTS = "/v1/events";
/** Path of the request that checks a key, even if its workspace is closed or removed. */
export const VALIDATE_KEY = "/auth/validate-key";

/**
 * Returns the path of a document in the API. The id is percent-encoded, so that an id from a
 * damaged state file cannot lead to another route.
 */
export function fileRoute(id: DocId): string {
  return `${FILES}/${encodeURIComponent(id)}`;
}

export function contentRoute(id: DocId): string {
  return `${fileRoute(id)}/content`;
}

export function folderRoute(id: DirId): string {
  return `${FOLDERS}/${encodeURIComponent(id)}`;
}

/** Returns the query string for a page of a list. `cursor` must come from an earlier answer. */
export function makeListQuery(selector: Selector, page: { readonly limit?: number; readonly cursor?: string }): string {
  const query = new URLSearchParams();
  if (selector.kind === "path") query.set("path", selector.path);
  if (selector.kind === "path-prefix") query.set("path_prefix", selector.pathPrefix);
  if (selector.kind === "parent-id") query.set("parent_id", selector.parentId);
  if (page.limit !== undefined) query.set("limit", String(page.limit));
  if (page.cursor !== undefined) query.set("cursor", page.cursor);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
