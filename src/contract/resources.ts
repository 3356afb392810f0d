/** Fields of answers that a client uses. The published contract shows all of them. */

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
 * Selects the items of a list. With `none`, a list of files contains all readable files; a list of
 * folders contains the folders in the root.
 */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/** Access of a key to a document or folder. Each level includes the levels before it. */
export type Grant = "read" | "edit" | "full";
