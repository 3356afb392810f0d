import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Spelling } from "../../contract/spelling.ts";

/**
 * Spellings of the links in a local file, for which the service has ids. A row belongs to a path
 * and the exact bytes of the file. A path has several rows while the replacement of its file may
 * still be undone.
 */
export interface Spellings {
  find(path: LocalPath, bytes: Digest): Spelling | null;
  /** Returns the spellings of a path, newest first. */
  atPath(path: LocalPath): Spelling[];
  /** Returns the newest spelling for content with this digest in the service's form. */
  ofContent(path: LocalPath, text: Digest): Spelling | null;
  withBytes(bytes: Digest): Spelling[];
  /** LIMIT: all rows are in memory, because `removeOld` leaves only a few for each file. */
  all(): Spelling[];
  isEmpty(): boolean;
  put(spelling: Spelling): void;
  /**
   * Copies all spellings at and below a path to the path to which the file or folder will be moved.
   */
  copy(from: LocalPath, to: LocalPath): void;
  clear(): void;
  /** Removes all spellings but the newest few of each path. */
  removeOld(): void;
  /** Removes the spellings of paths at which no document and no conflict copy is recorded. */
  removeLost(): void;
}
