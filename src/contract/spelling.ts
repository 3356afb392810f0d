import type { DirId, DocId } from "./ids.ts";
import type { Digest } from "./digest.ts";
import type { LocalPath } from "./path.ts";

/** A link in a local file, spelled exactly as in the file. */
export type LinkTarget = {
  /** Destination of the link, without query and fragment. */
  readonly destination: string;
  /**
   * Path to which the link leads from the file, even if nothing exists at this path. Null if the
   * link is an id, or leads outside the root.
   */
  readonly at: LocalPath | null;
  /** Id of the document or folder to which the link leads; null if there is none. */
  readonly to: DocId | DirId | null;
  /**
   * Id of the former target, which no longer exists. If it appears on the service again, the link
   * leads to it again. Undefined if `to` is not null, or if the link never had a target.
   */
  readonly former?: DocId | DirId;
};

/** Returns the id of a link's target, otherwise of its former target; null if it has neither. */
export function findTargetId({ to, former }: LinkTarget): DocId | DirId | null {
  return to ?? former ?? null;
}

/**
 * The two forms of a file whose links are spelled differently on the service: as local paths in the
 * file, and as ids on the service.
 */
export type Spelling = {
  readonly path: LocalPath;
  /**
   * Id of the document to which the file belonged when it was read or written; null if unknown.
   * After two documents have exchanged paths, each path has the forms of both.
   */
  readonly id: DocId | null;
  /** Digest of the file on the disk. */
  readonly bytes: Digest;
  /** Digest of the content as the service has it. */
  readonly text: Digest;
  /** Path of the file when its links were read or written; relative links start from it. */
  readonly spelledAt: LocalPath;
  readonly leads: readonly LinkTarget[];
};
