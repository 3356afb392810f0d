import type { DirId, DocId } from "./ids.ts";
import type { Selector } from "./resources.ts";

/** The paths of the wire, relative to {base_url}. */

export const FILES = "/v1/files";
export const FOLDERS = "/v1/folders";
/**
 * ASSUMES: the paths of search, POSTs of JSON: `{query, limit?, path_prefix?}` and `{pattern,
 * limit?, path_prefix?}` (contract tests "answers the list envelope: search", "answers the list
 * envelope: regex search").
 */
export const SEARCH = "/v1/search";
export const SEARCH_REGEX_PATH = "/v1/search/regex";

export function fileRoute(id: DocId): string {
  return `${FILES}/${id}`;
}

export function contentRoute(id: DocId): string {
  return `${FILES}/${id}/content`;
}

/**
 * ASSUMES: GET, PATCH {name | parentId} and DELETE [?recursive=true] live at /v1/folders/{id}
 * (contract tests of folders).
 */
export function folderRoute(id: DirId): string {
  return `${FOLDERS}/${id}`;
}

/** The query of a list. `cursor` is echoed, never built. */
export function listQuery(selector: Selector, page: { readonly limit?: number; readonly cursor?: string }): string {
  const query = new URLSearchParams();
  if (selector.kind === "path") query.set("path", selector.path);
  if (selector.kind === "path-prefix") query.set("path_prefix", selector.pathPrefix);
  if (selector.kind === "parent-id") query.set("parent_id", selector.parentId);
  if (page.limit !== undefined) query.set("limit", String(page.limit));
  if (page.cursor !== undefined) query.set("cursor", page.cursor);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
