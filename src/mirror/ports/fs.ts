import type { Stamp } from "../model/record.ts";

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * A folder that this process has open. The handle refers to the same folder even if another program
 * renames the folder, or puts another folder in its place.
 */
export type FolderHandle = {
  /**
   * Path through the handle. `${handlePath}/name` is an entry of this folder in every call of the
   * Fs; `handlePath` alone works in `readdir` only.
   */
  readonly handlePath: string;
  stat(): FsStat;
  /**
   * Returns the current path of the folder, without symlinks. For a removed folder, returns a path
   * at which nothing exists.
   */
  path(): string;
  close(): void;
};

/** Files that other processes had open for writing at one moment. */
export type OpenToWrite = {
  /** Returns true if another process has the set-aside file at this path open for writing. */
  has(path: string): boolean;
};

/**
 * System calls that `local/` makes, on absolute paths: those of node:fs, or of a RAM disk in the
 * simulator. Errors are thrown with `code` set to the errno name, as node:fs throws them.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Returns names and kinds in no order; `special` means devices, sockets and FIFOs. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /**
   * Opens without following a symlink. Refuses (ELOOP, EISDIR, EINVAL) anything but a regular file;
   * EFBIG above 64 MiB; EAGAIN if the file changed while it was read.
   * @param brief the caller needs the bytes only until the next read of a file
   */
  readFile(path: string, brief?: "brief"): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /**
   * Creates a file that must not exist, and writes all bytes; removes the file if the write fails.
   * `mode` is set exactly; null means the process's default. `sync`: fsync before close.
   */
  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void;
  /** Returns the target of a symlink, without following it; EINVAL if the path is not a symlink. */
  readLink(path: string): string;
  rename(from: string, to: string): void;
  link(existing: string, path: string): void;
  unlink(path: string): void;
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  realpath(path: string): string;
  /** Flushes a file or a folder by fsync. */
  sync(path: string): Promise<void>;
  /**
   * Flushes the whole disk with this path, as fsync of each file and folder would. Returns false if
   * the disk could not be flushed. Undefined if the system has no such call.
   */
  syncDisk?(path: string): Promise<boolean>;
  /**
   * Opens a folder and keeps it open. Fails with ENOTDIR or ELOOP if the last name is a symlink.
   * Undefined if the system has no such call.
   */
  handle?(path: string): FolderHandle;
  /**
   * Returns the files that other processes have open for writing. Undefined if the system lists
   * none.
   */
  listOpenToWrite?(): OpenToWrite;
}
