import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Spelling } from "../../contract/spelling.ts";

/**
 * Spellings of links in local files, by path and bytes. A path has several rows while a replacement
 * of its file may still be undone.
 */
export interface Spellings {
  of(path: LocalPath, bytes: Digest): Spelling | null;
  /** Newest first. */
  at(path: LocalPath): Spelling[];
  /** Returns the newest at a path with this content in the service's form. */
  standingFor(path: LocalPath, text: Digest): Spelling | null;
  with(bytes: Digest): Spelling[];
  /** LIMIT: all rows in memory: a few for each file with links, after `removeOld`. */
  all(): Spelling[];
  isEmpty(): boolean;
  put(spelling: Spelling): void;
  /** Copies the rows of a file or folder to the path it is moved to. */
  copy(from: LocalPath, to: LocalPath): void;
  clear(): void;
  /** Removes all but the last few of each path. */
  removeOld(): void;
  /** Removes those of paths that no document and no conflict has. */
  removeLost(): void;
}
