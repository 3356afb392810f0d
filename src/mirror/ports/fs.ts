import type { Stamp } from "../model/record.ts";

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * An open folder. If another program renames the folder, or puts another folder at its path, the
 * handle still refers to the first one.
 */
export type FolderHandle = {
  /**
   * Path that leads through the handle. In every call of `Fs`, `${handlePath}/name` means a file or
   * folder in this folder. Only `readdir` also accepts `handlePath` alone.
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

/** Files that other processes had open for writing at the time of the list. */
export type OpenToWrite = {
  has(path: string): boolean;
};

/**
 * File system calls for `local/`, with absolute paths. They are implemented by node:fs, or by a
 * simulated disk in memory. Errors are thrown as by node:fs, with the errno name as `code`.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Returns the names in a folder, unsorted. `special`: a device, socket or FIFO. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /**
   * Reads a file without following a symlink.
   * @param brief set if the caller needs the bytes only until it reads the next file
   * @throws ELOOP, EISDIR, EINVAL or ENXIO if it is no regular file; EFBIG above 64 MiB; EAGAIN if
   * the file changed during the read
   */
  readFile(path: string, brief?: "brief"): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /**
   * Creates a file that must not exist. If the bytes cannot all be written, removes the file again.
   * @param mode exact permissions of the file; null for the default of the process
   * @param sync true to flush the file before it is closed
   */
  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void;
  /** Returns the target of a symlink. @throws EINVAL if the path is no symlink */
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
   * system has no such call.
   */
  syncDisk?(path: string): Promise<boolean>;
  /**
   * Opens a folder and keeps it open. Throws ENOTDIR or ELOOP if the last part of the path is a
   * symlink. Undefined if the system has no such call.
   */
  handle?(path: string): FolderHandle;
  /**
   * Lists files that other processes have open for writing. Undefined if the system cannot list
   * them.
   */
  listOpenToWrite?(): OpenToWrite;
}
