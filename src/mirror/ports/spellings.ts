import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Spelling } from "../../contract/spelling.ts";

/**
 * Spellings of links in local files, by path and bytes. A path has several rows while the
 * replacement of its file may still be undone.
 */
export interface Spellings {
  find(path: LocalPath, bytes: Digest): Spelling | null;
  /** Returns the spellings of a path, newest first. */
  atPath(path: LocalPath): Spelling[];
  /** Returns the newest spelling at a path whose content in the service's form has this digest. */
  ofContent(path: LocalPath, text: Digest): Spelling | null;
  withBytes(bytes: Digest): Spelling[];
  /**
   * Returns all spellings. LIMIT: all rows in memory: a few for each file with links, after
   * `removeOld`.
   */
  all(): Spelling[];
  isEmpty(): boolean;
  put(spelling: Spelling): void;
  /** Copies the rows of a file or folder to its new path before a move. */
  copy(from: LocalPath, to: LocalPath): void;
  clear(): void;
  /** Removes all spellings except the last few of each path. */
  removeOld(): void;
  /** Removes the spellings of paths that belong to no document and no conflict. */
  removeLost(): void;
}
