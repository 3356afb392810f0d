/**
 * Defines where a search gets its documents. A source has the contents of documents, and an index
 * that finds documents by keys.
 */

import type { KeySet } from "./keys.ts";

export type FoundDocument = {
  /** Number of the document. Newer documents have greater numbers. */
  readonly document: number;
  readonly path: string;
  /** Content of the document. An implementation may decompress the content only when it is read. */
  readonly text: string;
};

export type AgeOrder = "newest" | "oldest";

/** `next`: value of `after` for the next page; null after the last page. */
export type DocumentPage = { readonly documents: readonly number[]; readonly next: number | null };

export type DocumentSource<One extends FoundDocument> = {
  /**
   * Returns the documents that are not in the search index yet, the newest first, each once.
   * LIMIT: may omit the oldest documents if there are many, so that a search takes limited time.
   */
  unindexed(): Promise<readonly number[]>;
  /**
   * Returns a page of documents that may be in a set.
   * @param after `next` of the previous page; null for the first page
   */
  portion(set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /**
   * Reads documents in the given order. The result lacks documents that no longer exist, or that
   * the key may not read.
   */
  read(documents: readonly number[]): Promise<readonly One[]>;
};

/**
 * LIMIT: number of documents whose contents are in memory at the same time, so that a search takes
 * limited memory.
 */
const MAX_DOCUMENTS_IN_MEMORY = 50;

export function* splitIntoReads(documents: readonly number[]): Generator<readonly number[], void> {
  for (let i = 0; i < documents.length; i += MAX_DOCUMENTS_IN_MEMORY)
    yield documents.slice(i, i + MAX_DOCUMENTS_IN_MEMORY);
}
