import type { ChangeId, DirId, DocId } from "./ids.ts";

/** The members that the contract shows. An answer may have more; a client uses none of those. */

/** A File: metadata without content. `path` ends in lowercase `.md`. */
export type FileResource = {
  readonly id: DocId;
  readonly lastChangeId: ChangeId;
  readonly path: string;
  readonly protected: boolean;
};

export type FileWithContent = FileResource & { readonly content: string };

export type FolderResource = { readonly id: DirId; readonly path: string };

/**
 * Where a file or folder is. `parentId` is null at the root. ASSUMES: `parentPath` is `/` there
 * (contract test "tells where a file and a folder stand").
 */
type Standing = { readonly parentId: DirId | null; readonly parentPath: string };

/** Files and folders as they are answered: `path` is absolute, with a leading slash. */
export type AnsweredFile = { readonly object: "file" } & FileResource & Standing;
export type AnsweredFolder = { readonly object: "folder" } & FolderResource & Standing & { readonly name: string };

/** 200 of a PUT: `content` is the text now saved. */
export type Edit = { readonly object: "edit"; readonly file: AnsweredFile; readonly content: string };

/** Why an edit waits for a decision: the file is protected, or the edit met another one. */
export const REVIEW_REASONS = ["protected", "conflict"] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** 202 of a PUT. */
export type ChangeInReview = {
  readonly object: "change";
  readonly id: ChangeId;
  readonly status: "in_review";
  readonly reason: ReviewReason;
  readonly fileIds: readonly DocId[];
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
 * ASSUMES: an item of a search is a File with its `content`, and `sources` unless `includeSources`
 * is false: where in the file it was found. Of a hybrid search they are up to three snippets: a
 * line, counted from 1, or a part of a long one, with what matched; and `score` (greater is better)
 * compares within one answer alone (contract test "marks what matched in its sources").
 */
export type SearchHit = AnsweredFile & {
  readonly content: string;
  readonly score: number;
  readonly sources?: readonly {
    readonly object: "snippet";
    readonly fileId: DocId;
    readonly line: number;
    readonly text: string;
    readonly ranges: readonly SearchRange[];
  }[];
};

/**
 * ASSUMES: the sources of a regex search are its matches, one for each line: `line` and `column`
 * count from 1, `text` is the whole line (contract test "gives line and column of each match").
 */
export type RegexHit = AnsweredFile & {
  readonly content: string;
  readonly sources?: readonly {
    readonly object: "match";
    readonly fileId: DocId;
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
