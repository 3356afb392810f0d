/** Defines the source of a search: the documents that it may find, and an index of their keys. */

import type { KeySet } from "./keys.ts";

export type FoundDocument = {
  /** Number of the document; newer documents have greater numbers. */
  readonly document: number;
  readonly path: string;
  /** The content. It may be decompressed only when a caller reads it. */
  readonly text: string;
};

export type AgeOrder = "newest" | "oldest";

/** `next`: value of `after` for the next page; null for the last page. */
export type DocumentPage = { readonly documents: readonly number[]; readonly next: number | null };

export type DocumentSource<One extends FoundDocument> = {
  /**
   * Returns the documents that were written and are not indexed yet, newest first, without
   * duplicates. LIMIT: if there are very many, only the newest.
   */
  unindexed(): Promise<readonly number[]>;
  /**
   * Returns one page of the documents that may be in a set, in the given order. The source decides
   * how many documents a page has at most.
   */
  portion(set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /** Returns those of the documents that may be found now, in the requested order. */
  read(documents: readonly number[]): Promise<readonly One[]>;
};

/** LIMIT: documents whose content is in memory at the same time. */
const READ_AT_A_TIME = 50;

export function* splitIntoReads(documents: readonly number[]): Generator<readonly number[], void> {
  for (let i = 0; i < documents.length; i += READ_AT_A_TIME) yield documents.slice(i, i + READ_AT_A_TIME);
}
