import type { Stamp } from "../model/link.ts";

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * A folder that is held open. It stays the same folder, even if somebody renames it or puts another
 * one in its place.
 */
export type FolderHandle = {
  /**
   * `${at}/name` is an entry of this folder, in every call of the Fs; `at` itself in `readdir`
   * only.
   */
  readonly at: string;
  stat(): FsStat;
  /**
   * Returns its present path, through no symlink. A removed folder has a path at which nothing
   * exists.
   */
  path(): string;
  close(): void;
};

/** A file that was just made and is still open. */
export type OpenFile = {
  /** Returns the present state of the file, whatever names it has. */
  stat(): FsStat;
  close(): void;
};

/** Files that other processes had open to write at one moment. */
export type OpenToWrite = {
  /** Returns true if the file at this path is one of them, or may be. False if no file exists. */
  has(path: string): boolean;
};

/**
 * System calls that `local/` makes, on absolute paths: those of node:fs, or of a RAM disk in the
 * simulator. Errors are thrown with `code` set to the errno name, as node:fs throws them.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Names and kinds, in no order; `special` covers devices, sockets and FIFOs. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /**
   * Opens without following a symlink; refuses (ELOOP, EISDIR, EINVAL) anything but a regular file,
   * EFBIG above 64 MiB, EAGAIN if it changed while it was read.
   * @param brief the caller needs the bytes only until it reads the next file
   */
  readFile(path: string, brief?: "brief"): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /**
   * Creates a file that must not exist, and writes all of it; `sync`: fsync before close. If the
   * write fails, the file is removed. `mode` is set exactly; null means the process's default.
   */
  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void;
  /**
   * Works as `writeNew`, with the process's default mode and without fsync; the file stays open.
   */
  makeNew(path: string, bytes: Uint8Array): OpenFile;
  /** Returns the target of a symlink, without following it; EINVAL if it is none. */
  readLink(path: string): string;
  rename(from: string, to: string): void;
  link(existing: string, path: string): void;
  unlink(path: string): void;
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  realpath(path: string): string;
  /** fsync of a file or a folder. */
  sync(path: string): Promise<void>;
  /**
   * Flushes the whole disk with this path, as fsync of each file and folder would. False if it
   * could not. Left out if the system has no such call.
   */
  syncDisk?(path: string): Promise<boolean>;
  /**
   * Holds a folder open; ENOTDIR or ELOOP if the last name is a symlink. Left out if the system has
   * no such call.
   */
  handle?(path: string): FolderHandle;
  /**
   * Returns the files that other processes have open to write. Left out if the system lists none.
   */
  heldToWrite?(): OpenToWrite;
}
