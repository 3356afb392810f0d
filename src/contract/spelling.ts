import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

/** A link of a file, as its bytes have it. */
export type Lead = {
  /** The destination, without query and fragment. */
  readonly said: string;
  /**
   * The path to which it leads from the file, whether anything is there or not; null for an id, and
   * outside of the root.
   */
  readonly at: LocalPath | null;
  /** What it stands for; null where that is nothing known. */
  readonly to: DocId | DirId | null;
  /**
   * What it stood for until that was gone: a document that is shown again is linked to again. Only
   * where `to` is null. Not set: it never stood for anything.
   */
  readonly was?: DocId | DirId;
};

/** Returns what a link stands for, or stood for until that was gone; null: neither. */
export function everMeant({ to, was }: Lead): DocId | DirId | null {
  return to ?? was ?? null;
}

/** What a file's bytes say in the service's form, where the two forms spell its links apart. */
export type Spelling = {
  /** Where the file is. */
  readonly path: LocalPath;
  /**
   * Whose bytes these were when they were read or written; null where that was not known. Documents
   * that exchange paths leave what is known of both at each.
   */
  readonly id: DocId | null;
  /** Of the bytes on disk. */
  readonly bytes: Digest;
  /** Of the text that they stand for, in the service's form. */
  readonly text: Digest;
  /** Where the file was when its links were read or written, from which they lead. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly Lead[];
};
