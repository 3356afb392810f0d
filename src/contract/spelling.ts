import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

export type LinkTarget = {
  /** Destination of the link as it is written in the file, without query and fragment. */
  readonly destination: string;
  /**
   * Local path of the destination, even if nothing exists at it. Null if the destination is an id
   * or outside the root.
   */
  readonly at: LocalPath | null;
  /** Id of the document or folder at the destination; null if there is none. */
  readonly to: DocId | DirId | null;
  /**
   * Id of the last target, which no longer exists. If an item with this id exists again, the link
   * leads to it again. Undefined if `to` is not null, or if the link never had a target.
   */
  readonly former?: DocId | DirId;
};

export function findTargetId({ to, former }: LinkTarget): DocId | DirId | null {
  return to ?? former ?? null;
}

/**
 * Both forms of a file. In the local form, links are local paths; in the form on the service, links
 * are ids.
 */
export type Spelling = {
  readonly path: LocalPath;
  /**
   * Id of the file's document when mdmirror read or wrote the file; null if it was not known.
   * `path` is not enough: if two documents exchange their paths, each path has the forms of both
   * documents.
   */
  readonly id: DocId | null;
  /** Digest of the local form: the bytes of the file. */
  readonly bytes: Digest;
  /** Digest of the form with ids: the content on the service. */
  readonly text: Digest;
  /** Path of the file when its links were read or written. Relative links start from this path. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly LinkTarget[];
};
