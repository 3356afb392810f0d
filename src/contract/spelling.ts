import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

export type LinkTarget = {
  /** Destination as the file spells it, without query and fragment. */
  readonly destination: string;
  /**
   * Local path of the destination, whether it exists or not. Null for an id, or outside the root.
   */
  readonly at: LocalPath | null;
  /** Id of the document or folder at the destination; null if neither exists. */
  readonly to: DocId | DirId | null;
  /**
   * Id of the last target, which no longer exists. If the service shows this id again, the link
   * leads to it again. Undefined if `to` is not null, or if the link never had a target.
   */
  readonly former?: DocId | DirId;
};

export function findTargetId({ to, former }: LinkTarget): DocId | DirId | null {
  return to ?? former ?? null;
}

/** The two forms of a file whose links are local paths in the file, and ids on the service. */
export type Spelling = {
  readonly path: LocalPath;
  /**
   * Id of the document to which the file belonged when mdmirror read or wrote it; null if unknown.
   * `path` is not enough: after two documents exchange paths, each path has the forms of both.
   */
  readonly id: DocId | null;
  /** Digest of the form with local paths: the file's bytes. */
  readonly bytes: Digest;
  /** Digest of the form with ids: the content on the service. */
  readonly text: Digest;
  /** Path of the file when its links were read or written; relative links start from it. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly LinkTarget[];
};
