/** Fields of answers that a client uses. The published contract lists all these fields. */
import type { ChangeId, DirId, DocId } from "./ids.ts";

export type FileResource = {
  readonly id: DocId;
  readonly lastChangeId: ChangeId;
  readonly path: string;
  readonly protected: boolean;
};

export type FileWithContent = FileResource & { readonly content: string };

export type FolderResource = { readonly id: DirId; readonly path: string };

/** Reasons for a review. `conflict`: the service could not merge the edit with another edit. */
export const REVIEW_REASONS = ["protected", "conflict"] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/**
 * Selects the items of a list. With `none`, a list of files contains all readable files, but a list
 * of folders contains only the folders in the root.
 */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/** Access of a key to a document or folder. Each level includes the levels before it. */
export type Grant = "read" | "edit" | "full";

export const FILES = "/v1/files";
export const FOLDERS = "/v1/folders";
export const SEARCH_HYBRID_PATH = "/v1/search/hybrid";
export const SEARCH_REGEX_PATH = "/v1/search/regex";
/** Path of the event stream (`events.ts`). Some services have no event stream. */
export const EVENTS = "/v1/events";
/** Path of the request that checks a key, even the key of a closed or removed workspace. */
export const VALIDATE_KEY = "/auth/validate-key";

/**
 * Returns the path of a file. The id is percent-encoded, because an id from a damaged state file
 * could otherwise give the path of another route.
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

/** Returns the query for a page of a list. `cursor` is the `nextCursor` of the previous page. */
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
