import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

/** A link in a local file, as the bytes of the file have it. */
export type LinkTarget = {
  /** Destination of the link, without query and fragment. */
  readonly destination: string;
  /**
   * Path to which the link leads from the file, even if nothing exists at this path. Null for an
   * id, and for a path outside the root.
   */
  readonly at: LocalPath | null;
  /** Id of the target; null if the target is unknown. */
  readonly to: DocId | DirId | null;
  /**
   * Id of the former target, which is gone. If the service shows the target again, the link leads
   * to it again. Undefined if `to` is not null, or the link never had a target.
   */
  readonly former?: DocId | DirId;
};

/** Returns the target of a link, or its former target; null if it has neither. */
export function targetOf({ to, former }: LinkTarget): DocId | DirId | null {
  return to ?? former ?? null;
}

/**
 * A file with links that differ on the service: the digest of its bytes, and of the same content in
 * the form of the service.
 */
export type Spelling = {
  readonly path: LocalPath;
  /**
   * Document that the bytes belonged to when they were read or written; null if unknown. After two
   * documents swap paths, each path has spellings of both.
   */
  readonly id: DocId | null;
  /** Digest of the bytes on disk. */
  readonly bytes: Digest;
  /** Digest of the content in the form of the service. */
  readonly text: Digest;
  /** Path of the file when its links were read or written. Relative links lead from this path. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly LinkTarget[];
};
