import type { Stamp } from "../model/link.ts";

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * A folder that is held open. It stays the same folder, whoever renames it or puts another one in
 * its place.
 */
export type FolderHandle = {
  /**
   * `${at}/name` is an entry of this folder, in every call of the Fs; `at` itself in `readdir`
   * only.
   */
  readonly at: string;
  stat(): FsStat;
  /**
   * Where it is now, through no symlink. A folder that was removed has a path at which nothing is.
   */
  path(): string;
  close(): void;
};

/** A file that was just made and is still open. */
export type OpenFile = {
  /** The file as it is now, whatever names it has. */
  stat(): FsStat;
  close(): void;
};

/** The files that other processes had open to write at one moment. */
export type HeldToWrite = {
  /** Whether the file at this path is one of them, or may be. False where no file is there. */
  has(path: string): boolean;
};

/**
 * The system calls that `local/` makes, on absolute paths: those of node:fs in use, of a RAM disk
 * in the simulator. Errors are thrown with `code` set to the errno name, as node:fs throws them.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Names and kinds, in no order; `special` covers devices, sockets and FIFOs. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /**
   * Opened without following a symlink; refused (ELOOP, EISDIR, EINVAL) when it is not a regular
   * file, EFBIG above 64 MiB, EAGAIN when it changed while it was read.
   * @param brief the caller needs the bytes until it reads the next file, and no longer
   */
  readFile(path: string, brief?: "brief"): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /**
   * Creates a file that must not exist, and writes all of it; `sync`: fsync before close. If the
   * write fails, the file is removed. `mode` is set exactly; null: the process's default.
   */
  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void;
  /** As `writeNew`, with the process's default mode and without fsync; the file stays open. */
  makeNew(path: string, bytes: Uint8Array): OpenFile;
  /** What a symlink leads to, which is not followed; EINVAL when it is none. */
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
   * Flushes the whole disk that holds this path, as fsync of each file and folder would. False: it
   * could not. Left out where the system has no such call.
   */
  syncDisk?(path: string): Promise<boolean>;
  /**
   * Holds a folder open; ENOTDIR or ELOOP when the last name is a symlink. Left out where the
   * system has no such thing.
   */
  handle?(path: string): FolderHandle;
  /** The files that other processes have open to write. Left out where the system lists none. */
  heldToWrite?(): HeldToWrite;
}
