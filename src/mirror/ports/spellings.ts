import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Spelling } from "../../contract/spelling.ts";

/**
 * The spellings of links in local files: how a file writes each link for which the service has an
 * id. A row belongs to a path and to the exact bytes of the file at that path. A path has several
 * rows while the replacement of the file may still be undone.
 */
export interface Spellings {
  find(path: LocalPath, bytes: Digest): Spelling | null;
  /** Returns the spellings of a path, newest first. */
  atPath(path: LocalPath): Spelling[];
  /** Returns the newest spelling at a path of content that has the digest `text` on the service. */
  ofContent(path: LocalPath, text: Digest): Spelling | null;
  withBytes(bytes: Digest): Spelling[];
  /**
   * LIMIT: reads all rows into memory. The rows are few, because `removeOld` keeps only a few for
   * each file.
   */
  all(): Spelling[];
  isEmpty(): boolean;
  put(spelling: Spelling): void;
  /** Copies all spellings at and below `from` to `to`, before the file or folder is moved. */
  copy(from: LocalPath, to: LocalPath): void;
  clear(): void;
  /** Removes old spellings, and keeps the newest few of each path. */
  removeOld(): void;
  /** Removes the spellings of paths at which no document and no conflict copy is recorded. */
  removeLost(): void;
}
