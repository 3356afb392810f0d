/**
 * Fields on which a client relies: those that the contract shows. An answer has more
 * (`api/resources.ts`), which a client does not use.
 */

import type { ChangeId, DirId, DocId } from "./ids.ts";

/** Metadata of a file, without content. `path` ends in lowercase `.md`. */
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
 * edit with another.
 */
export const REVIEW_REASONS = ["protected", "conflict"] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** At most one selector per request; `none` selects all readable files, or the root folders. */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/**
 * Grants as the app names them: Can read, Can edit, Full access. Each includes the previous ones.
 */
export type Grant = "read" | "edit" | "full";
