import type { Digest } from "../../contract/digest.ts";
import type { Inode, Stamp } from "../model/record.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";

/**
 * A file with content that the caller already has.
 * - `path`: the new tree uses this string too, to save memory
 * - `stamp`: the file is not read if it has this stamp; null if the file must be read
 * - `digest`: if the file still has this digest, the scan does not pass the content to the caller
 */
export type KnownFile = { readonly stamp: Stamp | null; readonly digest: Digest; readonly path: LocalPath };

/**
 * Indexes of the caller's records. A tree need not contain an unchanged file whose record has an
 * index.
 */
export type FileNumbers = {
  /** Returns the index of a file's record; null if the tree must contain the file. */
  readonly numberOf: (path: LocalPath, stamp: Stamp) => number | null;
  /** Called at the end of a scan with the indexes of the files that the tree does not contain. */
  readonly noteLocal: (numbers: readonly number[]) => void;
};

/** Stores content that a scan found at a path, because the file may change after the scan. */
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
 * - `fault`: an error of the system. Nothing was changed, or the change was undone.
 * - `fault` with `isSetAside`: the change could not be undone, and the old file is still at
 *   `setAsideAt`. The intent stays in the journal, so that recovery completes the change later.
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
 * Signs that another program is using a file. Times are in milliseconds since the epoch, by the
 * clock of the disk; null if the file does not exist.
 */
export type FileUse = {
  /** Time of the last change of the file, its name or its permissions. */
  readonly changedMs: number | null;
  readonly savedMs: number | null;
  /**
   * Name of the program that has the file open, from the program's lock file or swap file; null if
   * there is no such file.
   */
  readonly openIn: string | null;
};

/**
 * The linked folder on disk. All calls except `flush` and `flushAll` are synchronous. Such a call
 * is fast for small files, and leaves little time between a check and a change. No call follows a
 * symlink in any part of a path, or changes anything outside the root (I26). Paths of set-aside and
 * trashed files are relative to `.mdmirror/`. Before a change that takes a document away from its
 * path, the caller opens an intent with `setAsideAt`.
 */
export interface Disk {
  identify(): RootIdentity | null;
  names(): DiskNames;
  /**
   * Scans the whole folder. Reads and hashes each file, unless `known` returns the current stamp
   * for the file. Passes to `onText` the contents that the caller does not have. Without `known`
   * and `onText`, reads all files and stores nothing.
   * @param leftOut files that the tree need not contain; undefined if the tree must contain all
   * files
   */
  walk(known?: (path: LocalPath) => KnownFile | null, onText?: StoreContent, leftOut?: FileNumbers): LocalTree;
  /**
   * Scans like `walk`, but pauses after some hundred files and folders, so that other work can run.
   * Never pauses within a folder.
   */
  walkInParts(...args: Parameters<Disk["walk"]>): Generator<void, LocalTree>;
  /**
   * Scans some paths of an earlier tree again. Returns the earlier tree itself if nothing changed.
   * Returns null if anything other than the content of known files has changed, so that a complete
   * scan is needed.
   * @param isInodeElsewhere returns true if this inode belongs to a document that the tree does not
   * contain
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
   * Converts the links in content of the service to local paths; `toServiceForm` converts local
   * paths to ids. Undefined if links are not converted.
   */
  toLocalForm?(path: LocalPath, text: string): string;
  toServiceForm?(path: LocalPath, localText: string): string;
  /** Runs several synchronous calls, and opens each folder on their paths only once. */
  shareFolders<T>(work: () => T): T;
  /** Reads a file as strict UTF-8, without any conversion. A byte order mark is kept. */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /** Creates a file in an existing folder. The result is `stale` if the path is not free. */
  create(path: LocalPath, text: string): DiskOutcome<WrittenStamp>;
  /**
   * Replaces a file whose digest must be `expect`. Before this call, the caller must open an intent
   * with `setAsideAt`. The old file stays at `setAsideAt` until `removeSetAside`.
   */
  replace(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<WrittenStamp>;
  /**
   * Moves a file to a free path; never overwrites a file. Can also change only the case of a name.
   * @param expect digest that the file must have; null to accept any content
   */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<WrittenStamp>;
  /**
   * Moves a file with the digest `expect` to `trashPath`, below `.mdmirror/`. If the file changed
   * during the move, moves the file back.
   */
  trash(path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<Inode>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /**
   * Removes a folder. Moves leftovers of editors and desktops, such as `.DS_Store`, to the trash.
   * The result is `stale` if the folder has other content.
   */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /**
   * Reads a set-aside file, into which an editor may have saved meanwhile; null if the file is
   * missing.
   * @param path path of the document, because links in the file are relative to this path
   */
  readSetAside(setAsideAt: string, path: LocalPath): DiskOutcome<LocalText | null>;
  /**
   * Moves a set-aside or trashed file back to its path. If another file or folder is now at the
   * path, changes nothing and returns `stale`.
   */
  putBack(setAsideAt: string, path: LocalPath): DiskOutcome<WrittenStamp>;
  /**
   * Returns true if another process has the file open for writing. Returns false if no process has
   * the file open, or if mdmirror cannot find out.
   */
  isOpenElsewhere(setAsideAt: string): boolean;
  removeSetAside(setAsideAt: string): void;
  /**
   * Removes temporary files of earlier processes. Never deletes set-aside files: moves those that
   * no intent names to `trash/unclaimed/`.
   * @param keep paths of the set-aside files that an intent names
   */
  sweep(keep: ReadonlySet<string>): void;
  /** Flushes files and their parent folders. Returns the files that could not be flushed. */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
  /**
   * Flushes everything written so far. Returns false if this failed, or if the system cannot flush
   * a whole disk.
   */
  flushAll(): Promise<boolean>;
}

/**
 * Hint from the disk: a reason to scan something. One change may cause no hint or several hints, in
 * any order.
 */
export type WatchHint =
  | { readonly kind: "path"; readonly path: LocalPath }
  /** A folder was created or removed, so its whole content may have changed. "" is the root. */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Hints were lost, or the watcher failed, so everything has to be scanned. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or file descriptors. The watcher has ended and gives no more
   * hints, so the caller has to scan at intervals.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the linked folder, except `.mdmirror`, folders that begin with a dot, and paths that
 * `ignores` excludes.
 */
export interface Watcher {
  /**
   * Starts to watch. Resolves when all existing folders are watched, so that every later change
   * gives hints. Also resolves if the watcher failed and reported the failure. May be called again
   * after `close`.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  close(): Promise<void>;
}

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * An open folder. If another program renames the folder, or puts another folder at the path, the
 * handle still refers to the opened folder.
 */
export type FolderHandle = {
  /**
   * Path that leads through the handle. In each call of `Fs`, `${handlePath}/name` means a file or
   * folder in this folder. `handlePath` alone is only valid for `readdir`.
   */
  readonly handlePath: string;
  stat(): FsStat;
  /**
   * Returns the current path of the folder, without symlinks. If the folder was removed, returns a
   * path at which nothing exists.
   */
  path(): string;
  close(): void;
};

/** Files that other processes had open for writing when the list was made. */
export type FilesOpenToWrite = {
  has(path: string): boolean;
};

/**
 * File system calls for `local/`, with absolute paths. Implemented with node:fs, or as a simulated
 * disk in memory. Errors are thrown as by node:fs, with the errno name as `code`.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Returns the names in a folder, unsorted. `special`: a device, socket or FIFO. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /**
   * Reads a file without following a symlink.
   * @param brief set if the caller needs the bytes only until the next file is read
   * @throws ELOOP, EISDIR, EINVAL or ENXIO if the path has no regular file; EFBIG above 64 MiB;
   * EAGAIN if the file changed during the read
   */
  readFile(path: string, brief?: "brief"): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /**
   * Creates a file at a path at which nothing exists. If the bytes cannot all be written, removes
   * the file again.
   * @param mode exact permissions of the file; null for the default of the process
   * @param sync true to flush the file before it is closed
   */
  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void;
  /** Returns the target of a symlink. @throws EINVAL if the path has no symlink */
  readLink(path: string): string;
  rename(from: string, to: string): void;
  link(existing: string, path: string): void;
  unlink(path: string): void;
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  realpath(path: string): string;
  sync(path: string): Promise<void>;
  /**
   * Flushes the whole disk that contains a path; returns false if that failed. Undefined if the
   * system cannot flush a whole disk.
   */
  syncDisk?(path: string): Promise<boolean>;
  /**
   * Opens a folder and keeps the folder open. Throws ENOTDIR or ELOOP if the last part of the path
   * is a symlink. Undefined if the system cannot do this.
   */
  handle?(path: string): FolderHandle;
  /**
   * Lists files that other processes have open for writing. Undefined if the system cannot list
   * them.
   */
  listOpenToWrite?(): FilesOpenToWrite;
}
