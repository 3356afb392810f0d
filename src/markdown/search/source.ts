/** Defines where a search gets its documents: contents, and an index that finds them by keys. */

import type { KeySet } from "./keys.ts";

export type FoundDocument = {
  /** Number of the document. Newer documents have larger numbers. */
  readonly document: number;
  readonly path: string;
  /** Content of the document. It may be decompressed only when it is read. */
  readonly text: string;
};

export type AgeOrder = "newest" | "oldest";

/**
 * Document numbers that the index returned. `next`: value of `after` for the next page; null after
 * the last page.
 */
export type DocumentPage = { readonly documents: readonly number[]; readonly next: number | null };

export type DocumentSource<One extends FoundDocument> = {
  /**
   * Returns documents that are not in the index yet, newest first, each once.
   * LIMIT: if there are very many, the oldest are left out.
   */
  unindexed(): Promise<readonly number[]>;
  /**
   * Returns one page of the documents that may be in a set, in the given order.
   * @param after `next` of the page before; null for the first page
   */
  portion(set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /**
   * Reads documents, in the given order. Leaves out those that do not exist any more or may not be
   * read.
   */
  read(documents: readonly number[]): Promise<readonly One[]>;
};

/** LIMIT: documents whose contents are in memory at the same time. */
const MAX_DOCUMENTS_IN_MEMORY = 50;

export function* splitIntoReads(documents: readonly number[]): Generator<readonly number[], void> {
  for (let i = 0; i < documents.length; i += MAX_DOCUMENTS_IN_MEMORY)
    yield documents.slice(i, i + MAX_DOCUMENTS_IN_MEMORY);
}
