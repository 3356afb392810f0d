import type { Digest } from "../../contract/digest.ts";
import type { Inode, Stamp } from "../model/record.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";

/**
 * A file that the caller knows.
 * - `path`: a string that the tree shares with the caller, to save memory
 * - `stamp`: null if the file has to be read, because no stamp is trusted
 * - `digest`: the content with this digest is not passed to the caller again
 */
export type KnownFile = { readonly stamp: Stamp | null; readonly digest: Digest; readonly path: LocalPath };

/**
 * Numbers of files that the caller already has records of. A scan leaves such a file out of its
 * tree, and reports its number instead.
 */
export type FileNumbers = {
  /**
   * Returns the caller's number of the file with this stamp; null if the tree should contain the
   * file.
   */
  readonly numberOf: (path: LocalPath, stamp: Stamp) => number | null;
  /** Receives the numbers of the files that the tree leaves out, at the end of the scan. */
  readonly noteLocal: (numbers: readonly number[]) => void;
};

/** Stores content found at a path, before the content can be lost. */
export type OnText = (digest: Digest, text: string, path: LocalPath) => void;

export type LocalText = {
  readonly text: string;
  readonly digest: Digest;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
};

/**
 * Result of an effect on the disk. `fault`: an errno; nothing was changed, or the change was
 * undone. `isSetAside`: the effect was interrupted, and the file is still at `setAsideAt` (after a
 * move, under both names). The intent stays open until recovery has completed the effect.
 */
export type DiskOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "stale"; readonly detail: string; readonly isSetAside?: true }
  | { readonly kind: "fault"; readonly errno: string; readonly detail: string; readonly isSetAside?: true };

export type Written = { readonly stamp: Stamp };

export type RootIdentity = Inode & { readonly markerId: string | null };

/** State of a path: a file with its digest, absent, or unknown with the reason. */
export type PathState =
  | { readonly kind: "file"; readonly digest: Digest; readonly stamp: Stamp }
  | ({ readonly kind: "folder" } & Inode)
  | { readonly kind: "other" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Signs that another program is using a file. Times are the disk's, in milliseconds since the
 * epoch; null if there is no file.
 */
export type FileUse = {
  /** Last change of any kind, even to the same content, in milliseconds since the epoch. */
  readonly changedMs: number | null;
  /** Last write of the file's bytes; a rename does not change this time. */
  readonly savedMs: number | null;
  /**
   * Name of a program whose lock or swap file shows that it has the file open; null if there is
   * none.
   */
  readonly openIn: string | null;
};

/**
 * The linked folder. Synchronous except for `flush`: a synchronous call leaves the shortest time
 * between a check and an effect, and is the fastest on small files. No symlink is followed in any
 * part of a path; nothing outside the root is touched (I26). Paths of set-aside and trashed files
 * are relative to `.mdmirror/`. Before every effect that removes a document from its path, the
 * caller opens an intent with `setAsideAt`.
 */
export interface Disk {
  /** Returns the identity of the root; null if the root is missing or not a folder. */
  identify(): RootIdentity | null;
  names(): DiskNames;
  /**
   * Scans the whole folder. Reads and hashes each file unless `known` has its stamp. Passes new
   * contents to `onText`, which stores them before they can be lost.
   */
  walk(known: (path: LocalPath) => KnownFile | null, onText: OnText, leftOut?: FileNumbers): LocalTree;
  /** Scans as `walk` does, but pauses every millisecond or two, so that other work can run. */
  walkInParts(...args: Parameters<Disk["walk"]>): Generator<void, LocalTree>;
  /**
   * Scans some paths of an earlier scan again, if only the content of known files changed. Returns
   * the same object if nothing changed, and null if a complete scan is needed.
   * @param isInodeElsewhere returns true if a document outside `tree`, which is only a part of all
   * documents, has this inode
   */
  scanFiles(
    tree: LocalTree,
    paths: Iterable<LocalPath>,
    onText: OnText,
    isInodeElsewhere?: (stamp: Pick<Stamp, "dev" | "ino">) => boolean,
  ): LocalTree | null;
  look(path: LocalPath): PathState;
  useOf(path: LocalPath): FileUse;
  /**
   * Converts content from the service's form to the local file's: links become paths.
   * `toServiceForm` converts back. Undefined if both forms are the same.
   */
  toLocalForm?(path: LocalPath, text: string): string;
  toServiceForm?(path: LocalPath, localText: string): string;
  /**
   * Runs several calls, and opens the folders that they share only once. The calls must be few and
   * synchronous.
   */
  shareFolders<T>(work: () => T): T;
  /** Reads the content as strict UTF-8, byte for byte. A byte order mark is kept. */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /**
   * Creates a file by a temporary file and `link`. Stale if the path is taken. The parent folder
   * must exist.
   */
  create(path: LocalPath, text: string): DiskOutcome<Written>;
  /**
   * Replaces a file. The caller has opened an intent with `setAsideAt`. The old file stays at
   * `setAsideAt` until `removeSetAside`.
   */
  replace(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<Written>;
  /**
   * Moves a file to a free path, without overwriting; a change of case alone counts as a rename.
   * `expect`: digest of the file; null for any file.
   */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written>;
  /**
   * Moves a file to `trash/…` below `.mdmirror/`. Sets the file aside, checks it, and moves it back
   * if its digest is not `expect`.
   */
  trash(path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<Inode>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /**
   * Removes a folder that is empty except for files that editors and desktops leave. These go to
   * the trash first.
   */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /**
   * Reads the content of a set-aside file, to which an editor may have saved since; null if the
   * file is missing.
   * @param path path of its document, to which its links are relative
   */
  readSetAside(setAsideAt: string, path: LocalPath): DiskOutcome<LocalText | null>;
  /**
   * Moves a set-aside or trashed file back to its path, without overwriting. Stale if the path is
   * taken.
   */
  putBack(setAsideAt: string, path: LocalPath): DiskOutcome<Written>;
  /**
   * Returns true if another process has a set-aside file open for writing, as far as the system
   * knows.
   */
  isOpenElsewhere(setAsideAt: string): boolean;
  removeSetAside(setAsideAt: string): void;
  /**
   * Removes temporary files. A set-aside file that belongs to no open intent is never deleted: it
   * is moved to `trash/unclaimed/`.
   */
  sweep(keep: ReadonlySet<string>): void;
  /**
   * Flushes files and their folders, several at a time. Returns the files whose flush failed, with
   * the errno.
   */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
  /**
   * Returns true if everything written in the folder before the call is on the storage medium now;
   * false if this disk has no such call, or the call failed.
   */
  flushAll(): Promise<boolean>;
}
