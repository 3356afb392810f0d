import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

export type LinkTarget = {
  /** Destination of the link as it is written in the file, without query and fragment. */
  readonly destination: string;
  /**
   * Local path of the destination, even if nothing exists at that path. Null if the destination is
   * an id or outside the root.
   */
  readonly at: LocalPath | null;
  /** Id of the document or folder at the destination; null if neither exists. */
  readonly to: DocId | DirId | null;
  /**
   * Id of the last target of the link, which no longer exists. If an item gets this id again, the
   * link leads to the item again. Undefined if `to` is not null, or if the link never had a target.
   */
  readonly former?: DocId | DirId;
};

export function findTargetId({ to, former }: LinkTarget): DocId | DirId | null {
  return to ?? former ?? null;
}

/**
 * Both forms of a file: the local form, with links as local paths, and the form on the service,
 * with links as ids.
 */
export type Spelling = {
  readonly path: LocalPath;
  /**
   * Id of the file's document when mdmirror read or wrote the file; null if the id was not known.
   * `path` is not enough: if two documents exchange their paths, each path has the forms of both
   * documents.
   */
  readonly id: DocId | null;
  /** Digest of the local form: the bytes of the file. */
  readonly bytes: Digest;
  /** Digest of the form on the service, whose links are ids. */
  readonly text: Digest;
  /** Path of the file when its links were read or written. Relative links start at this path. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly LinkTarget[];
};
