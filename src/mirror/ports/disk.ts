import type { Digest } from "../../contract/digest.ts";
import type { Inode, Stamp } from "../model/record.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";

/**
 * A file whose content the caller already has.
 * - `path`: the string that the new tree uses too, to save memory
 * - `stamp`: the file is not read if its stamp equals this one; null if it must be read
 * - `digest`: if the file still has this content, the scan does not pass the content to the caller
 */
export type KnownFile = { readonly stamp: Stamp | null; readonly digest: Digest; readonly path: LocalPath };

/**
 * Files that a tree may leave out if they are unchanged, because the caller has a numbered record
 * of each.
 */
export type FileNumbers = {
  /** Returns the number of a file's record; null if the tree must contain the file. */
  readonly numberOf: (path: LocalPath, stamp: Stamp) => number | null;
  /** Receives the numbers of the files that the tree leaves out, at the end of a scan. */
  readonly noteLocal: (numbers: readonly number[]) => void;
};

/** Stores content that a scan found at a path, so that it is not lost if the file changes. */
export type StoreContent = (digest: Digest, text: string, path: LocalPath) => void;

export type LocalText = {
  readonly text: string;
  readonly digest: Digest;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
};

/**
 * Result of a change on the disk.
 * - `stale`: the disk did not have the expected state, and nothing was changed.
 * - `fault`: an error of the system; nothing was changed, or the change was undone.
 * - `fault` with `isSetAside`: the change could not be undone, and the file is still at
 *   `setAsideAt`. Recovery completes the change later, so its intent stays in the journal.
 */
export type DiskOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "stale"; readonly detail: string; readonly isSetAside?: true }
  | { readonly kind: "fault"; readonly errno: string; readonly detail: string; readonly isSetAside?: true };

export type WrittenStamp = { readonly stamp: Stamp };

export type RootIdentity = Inode & { readonly markerId: string | null };

/** State of a path. `other`: neither file nor folder. `unknown`: the path could not be read. */
export type PathState =
  | { readonly kind: "file"; readonly digest: Digest; readonly stamp: Stamp }
  | ({ readonly kind: "folder" } & Inode)
  | { readonly kind: "other" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Signs that another program is using a file. Times are those of the disk, in milliseconds since
 * the epoch; null if there is no file.
 */
export type FileUse = {
  /** Time of the last change of the file, its name or its permissions. */
  readonly changedMs: number | null;
  readonly savedMs: number | null;
  /** Name of the program whose lock file or swap file shows that it has the file open. */
  readonly openIn: string | null;
};

/**
 * The linked folder on disk. Calls are synchronous except for `flush`: this leaves the shortest
 * time between a check and a change, and is fast for small files. No call follows a symlink in any
 * part of a path, or changes anything outside the root (I26). Paths of set-aside and trashed files
 * are relative to `.mdmirror/`. Before a change that takes a document away from its path, the
 * caller opens an intent with `setAsideAt`.
 */
export interface Disk {
  identify(): RootIdentity | null;
  names(): DiskNames;
  /**
   * Scans the whole folder. Reads and hashes each file, except files whose stamp equals that of
   * `known`. Passes contents that the caller does not have to `onText`.
   * @param leftOut files that the tree may leave out; undefined if the tree must contain all files
   */
  walk(known: (path: LocalPath) => KnownFile | null, onText: StoreContent, leftOut?: FileNumbers): LocalTree;
  /** Scans like `walk`, with a pause every millisecond or two, so that other work can run. */
  walkInParts(...args: Parameters<Disk["walk"]>): Generator<void, LocalTree>;
  /**
   * Scans some paths of an earlier tree again. Returns that tree itself if nothing changed. Returns
   * null if a complete scan is needed, because more than the content of known files changed.
   * @param isInodeElsewhere returns true if a document that the tree does not contain has this
   * inode
   */
  scanFiles(
    tree: LocalTree,
    paths: Iterable<LocalPath>,
    onText: StoreContent,
    isInodeElsewhere?: (stamp: Pick<Stamp, "dev" | "ino">) => boolean,
  ): LocalTree | null;
  look(path: LocalPath): PathState;
  useOf(path: LocalPath): FileUse;
  /**
   * Converts the links in content of the service to local paths. `toServiceForm` converts them
   * back. Undefined if links are not converted.
   */
  toLocalForm?(path: LocalPath, text: string): string;
  toServiceForm?(path: LocalPath, localText: string): string;
  /** Runs a few synchronous calls, and opens the folders that they share only once. */
  shareFolders<T>(work: () => T): T;
  /** Reads a file as strict UTF-8, without any conversion. A byte order mark is kept. */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /** Creates a file in an existing folder; `stale` if something is at the path. */
  create(path: LocalPath, text: string): DiskOutcome<WrittenStamp>;
  /**
   * Replaces a file whose digest must be `expect`. The caller has opened an intent with
   * `setAsideAt`; the old file stays there until `removeSetAside`.
   */
  replace(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<WrittenStamp>;
  /**
   * Moves a file to a free path; never overwrites a file. A rename that only changes upper and
   * lower case is possible.
   * @param expect digest that the file must have; null if any content is accepted
   */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<WrittenStamp>;
  /**
   * Moves a file to `trashPath`, below `.mdmirror/`. Sets the file aside first, compares it with
   * `expect`, and moves it back if it differs.
   */
  trash(path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<Inode>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /**
   * Removes a folder; leftovers of editors and desktops go to the trash. The result is `stale` if
   * the folder has other content.
   */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /**
   * Reads a set-aside file, into which an editor may have saved meanwhile; null if the file is
   * missing.
   * @param path path of the file's document, because the links in the file are relative to this
   * path
   */
  readSetAside(setAsideAt: string, path: LocalPath): DiskOutcome<LocalText | null>;
  /**
   * Moves a set-aside or trashed file back. If something is at the path, it stays, and the result
   * is `stale`.
   */
  putBack(setAsideAt: string, path: LocalPath): DiskOutcome<WrittenStamp>;
  /** Returns true if another process has the file open for writing; false if that is unknown. */
  isOpenElsewhere(setAsideAt: string): boolean;
  removeSetAside(setAsideAt: string): void;
  /**
   * Removes temporary files that an earlier process left. A set-aside file that no intent names is
   * never deleted, but moved to `trash/unclaimed/`.
   * @param keep paths of the set-aside files that an intent names
   */
  sweep(keep: ReadonlySet<string>): void;
  /** Flushes files and their parent folders. Returns the files that could not be flushed. */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
  /** Flushes everything written so far; false if this failed, or the system has no such call. */
  flushAll(): Promise<boolean>;
}
