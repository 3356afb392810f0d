import type { ChangeId, DirId, DocId } from "./ids.ts";

/** The members that API.md shows. Answers may carry more; a client relies on none of them. */

/** A File: metadata without content. `path` ends in lowercase `.md`. */
export type FileResource = {
  readonly id: DocId;
  readonly lastChangeId: ChangeId;
  readonly path: string;
  readonly protected: boolean;
};

export type FileWithContent = FileResource & { readonly content: string };

/** ASSUMES: a Folder has `id` and `path` (contract test "answers a folder with id and path"). */
export type FolderResource = { readonly id: DirId; readonly path: string };

/** ASSUMES: EditFileResponse is a File plus `content`, the text now saved (contract test "answers the saved content and its change id"). */
export type EditFileResponse = FileWithContent;

/** ASSUMES: the members of a ChangeInReview (contract test "answers 202 with the change in review"). */
export type ChangeInReview = {
  readonly id: ChangeId;
  readonly fileId: DocId;
  readonly path: string;
  readonly baseChangeId: ChangeId;
  readonly status: "in_review";
};

export type ListEnvelope<Item> = {
  readonly object: "list";
  readonly url: string;
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
};

/** At most one selector a request; `none` is all readable files, or the root folders. */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/** Grants as the app names them: Can read, Can edit, Full access. Each includes the ones before. */
export type Grant = "read" | "edit" | "full";
