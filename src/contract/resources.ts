import type { ChangeId, DirId, DocId } from "./ids.ts";

/** The members that the contract shows. Answers may carry more; a client relies on none of them. */

/** A File: metadata without content. `path` ends in lowercase `.md`. */
export type FileResource = {
  readonly id: DocId;
  readonly lastChangeId: ChangeId;
  readonly path: string;
  readonly protected: boolean;
};

/**
 * ASSUMES: EditFileResponse is one, with the text now saved (contract test "answers the saved
 * content and its change id").
 */
export type FileWithContent = FileResource & { readonly content: string };

/** ASSUMES: a Folder has `id` and `path` (contract test "answers a folder with id and path"). */
export type FolderResource = { readonly id: DirId; readonly path: string };

/**
 * ASSUMES: the members of a ChangeInReview (contract test "answers 202 with the change in review").
 */
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

/** Half-open, in characters (code points) from 0, of the `text` beside it. */
type SearchRange = readonly [start: number, end: number];

/**
 * ASSUMES: an item of a hybrid search is a File plus `score` (greater is better, comparable within
 * one answer alone) and up to three `snippets`: a line, counted from 1, or a part of a long one,
 * with what matched (contract test "marks what matched in snippets").
 */
export type SearchHit = FileResource & {
  readonly score: number;
  readonly snippets: readonly {
    readonly line: number;
    readonly text: string;
    readonly ranges: readonly SearchRange[];
  }[];
};

/**
 * ASSUMES: an item of a regex search is a File plus `matches`, one for each line: `line` and
 * `column` count from 1, `text` is the whole line (contract test "gives line and column of each
 * match").
 */
export type RegexHit = FileResource & {
  readonly matches: readonly {
    readonly line: number;
    readonly column: number;
    readonly text: string;
    readonly ranges: readonly SearchRange[];
  }[];
};

/** At most one selector a request; `none` is all readable files, or the root folders. */
export type Selector =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "path-prefix"; readonly pathPrefix: string }
  | { readonly kind: "parent-id"; readonly parentId: DirId };

/** Grants as the app names them: Can read, Can edit, Full access. Each includes the ones before. */
export type Grant = "read" | "edit" | "full";
