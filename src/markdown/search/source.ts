import type { KeySet } from "./keys.ts";

/** Where a search reads: the documents that it may find, and an index of their keys. */

export type Found = {
  /** Grows with the age of the service: a greater number is a newer document. */
  readonly document: number;
  readonly path: string;
  /** May be unpacked only when it is read. */
  readonly text: string;
};

export type Order = "newest" | "oldest";

/** `next`: beyond which document the next portion begins; null: this was the last one. */
export type Portion = { readonly documents: readonly number[]; readonly next: number | null };

export type Source<One extends Found> = {
  /**
   * Documents that were written and are not indexed yet, each once, the newest first. LIMIT: of
   * very many the newest.
   */
  waiting(): Promise<readonly number[]>;
  /**
   * A bounded portion of the documents that may be in a set, in an order.
   * @param after `Portion.next` of the portion before; null: from the beginning
   */
  portion(set: KeySet, order: Order, after: number | null): Promise<Portion>;
  /** Of some documents those that may be found now, in the order in which they are asked for. */
  read(documents: readonly number[]): Promise<readonly One[]>;
};

/** LIMIT: documents whose texts are in memory at a time. */
const READ_AT_A_TIME = 50;

export function* inReads(documents: readonly number[]): Generator<readonly number[], void> {
  for (let at = 0; at < documents.length; at += READ_AT_A_TIME) yield documents.slice(at, at + READ_AT_A_TIME);
}
