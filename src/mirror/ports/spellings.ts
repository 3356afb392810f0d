import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Spelling } from "../../contract/spelling.ts";

/**
 * How the files on disk spell their links, by path and bytes. A path has more than one row while a
 * replace of its file may still be undone.
 */
export interface Spellings {
  of(path: LocalPath, bytes: Digest): Spelling | null;
  /** Newest first. */
  at(path: LocalPath): Spelling[];
  /** The newest at a path that stands for this text. */
  standingFor(path: LocalPath, text: Digest): Spelling | null;
  with(bytes: Digest): Spelling[];
  /** LIMIT: all rows in memory: a few for each file that links, after `removeOld`. */
  all(): Spelling[];
  isEmpty(): boolean;
  put(spelling: Spelling): void;
  /** For a file or folder that is moved: what was known at its old place holds at the new one. */
  copy(from: LocalPath, to: LocalPath): void;
  clear(): void;
  /** Removes of each path what is older than its last few. */
  removeOld(): void;
  /** Removes those of paths that no document and no conflict has. */
  removeLost(): void;
}
