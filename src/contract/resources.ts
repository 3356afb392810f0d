/**
 * Fields of answers on which a client relies, which are the fields that the contract shows. An
 * answer has more fields (`api/resources.ts`), which a client does not use.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

/** A file without its content. `path` ends in lower-case `.md`. */
export type FileResource = {
  readonly id: DocId;
  readonly lastChangeId: ChangeId;
  readonly path: string;
  readonly protected: boolean;
};

export type FileWithContent = FileResource & { readonly content: string };

export type FolderResource = { readonly id: DirId; readonly path: string };

/**
 * Reasons why an edit is in review: the file is protected, or the service could not combine the
 * edit with another edit.
 */
export const REVIEW_REASONS = ["protected", "conflict"] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/**
 * Selects the items of a list; a request has at most one selector. `none` selects all readable
 * files, or the folders in the root.
 */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/** Level of a grant: Can read, Can edit, Full access. Each level includes the levels before it. */
export type Grant = "read" | "edit" | "full";
