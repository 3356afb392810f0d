import type { Digest } from "../../contract/digest.ts";
import type { Stamp } from "../model/link.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";

/**
 * A file that the caller knows. `path`: the caller's own string, which the tree shares. `stamp`
 * null: no stamp is trusted, so the file is read; with this digest, the caller already has its
 * content.
 */
export type KnownFile = { readonly stamp: Stamp | null; readonly digest: Digest; readonly path: LocalPath };

/** Stores content found at a path, before it can be lost. */
export type OnText = (digest: Digest, text: string, path: LocalPath) => void;

export type LocalText = {
  readonly text: string;
  readonly digest: Digest;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
};

/**
 * Result of an effect on the disk. `fault`: an errno; nothing was changed, or the change was
 * undone. `isSetAside`: interrupted; the file is still at `setAsideAt` (after a move, the file has
 * both names), so the intent stays open until recovery has finished it.
 */
export type DiskOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "stale"; readonly detail: string; readonly isSetAside?: true }
  | { readonly kind: "fault"; readonly errno: string; readonly detail: string; readonly isSetAside?: true };

export type Written = { readonly stamp: Stamp };

export type NewFile = { readonly path: LocalPath; readonly text: string };

export type RootIdentity = {
  readonly dev: number;
  readonly ino: number;
  readonly birthMs: number;
  readonly markerId: string | null;
};

/** State of a path: a file with its digest, absent, or unknown with the reason. */
export type Look =
  | { readonly kind: "file"; readonly digest: Digest; readonly stamp: Stamp }
  | { readonly kind: "folder"; readonly dev: number; readonly ino: number; readonly birthMs: number }
  | { readonly kind: "other" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

/** Signs that somebody is using a file. Times are the disk's; null if there is no file. */
export type FileUse = {
  /** Last change of any kind, also by equal content: milliseconds since the epoch. */
  readonly changedMs: number | null;
  /** Last write of its bytes: a rename does not change it. */
  readonly savedMs: number | null;
  /** Program whose lock or swap file shows that it has the file open; null if there is none. */
  readonly openIn: string | null;
};

/**
 * The linked folder. Synchronous except for `flush`: a synchronous call leaves the smallest window
 * between a check and an effect, and is the fastest on small files. No symlink is followed in any
 * component; nothing outside the root is touched (I26). Paths of set-aside and trashed files are
 * relative to `.mdmirror/`. The caller journals every effect that takes a document off its path
 * first (intent with `setAsideAt`).
 */
export interface Disk {
  /** Returns null if the root is missing or not a folder. */
  identify(): RootIdentity | null;
  names(): DiskNames;
  /**
   * Walks the whole folder, and reads and hashes each file whose stamp `known` does not have. New
   * contents are passed to `onText`, which stores them before they can be lost.
   */
  walk(known: (path: LocalPath) => KnownFile | null, onText: OnText): LocalTree;
  /** Walks with a pause every millisecond or two, in which other work can run. */
  walkInParts(...asked: Parameters<Disk["walk"]>): Generator<void, LocalTree>;
  /**
   * Scans some paths of an earlier walk again, while only the content of known files changed.
   * Returns the same object if nothing changed, and null if only a whole walk can tell.
   * @param elsewhere returns true if a document outside `tree`, which is a part of all, has this
   * inode
   */
  scanFiles(
    tree: LocalTree,
    paths: Iterable<LocalPath>,
    onText: OnText,
    elsewhere?: (stamp: Pick<Stamp, "dev" | "ino">) => boolean,
  ): LocalTree | null;
  look(path: LocalPath): Look;
  useOf(path: LocalPath): FileUse;
  /**
   * Returns content in the form of the file at this path, and the inverse. Left out if files have
   * the same content as the service.
   */
  shown?(path: LocalPath, text: string): string;
  meant?(path: LocalPath, shown: string): string;
  /** Runs checks that open the folders they share only once: few, and none that waits. */
  together<T>(work: () => T): T;
  /** Reads the content as strict UTF-8, byte for byte (BOM kept). */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /**
   * Creates a file by a temporary file and `link`; stale if its path is taken. The parent must
   * exist.
   */
  create(path: LocalPath, text: string): DiskOutcome<Written>;
  /** Works as `create` for each file, in order, but opens folders that they share only once. */
  createAll(files: readonly NewFile[]): readonly DiskOutcome<Written>[];
  /**
   * Replaces a file whose old inode the caller journalled: it stays at `setAsideAt` until
   * `removeSetAside`.
   */
  replace(path: LocalPath, text: string, expect: Digest, setAsideAt: string): DiskOutcome<Written>;
  /**
   * Moves a file to a free path, never over anything; a rename of case alone is a rename. `expect`
   * null: any file.
   */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written>;
  /**
   * Moves a file to `trash/…` below `.mdmirror/`: sets it aside, checks it, and puts it back if it
   * is not `expect`. `expect` null: any file.
   */
  trash(path: LocalPath, expect: Digest | null, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /**
   * Removes a folder that is empty except for leftovers of editors and desktops, which go to the
   * trash first.
   */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /**
   * Reads the content of a set-aside file, into which an editor may have saved since; null if there
   * is none. `path`: its document's, to which its links are relative.
   */
  readSetAside(setAsideAt: string, path: LocalPath): DiskOutcome<LocalText | null>;
  /**
   * Puts a set-aside or trashed file back to its path, never over anything: stale if the path is
   * taken.
   */
  putBack(setAsideAt: string, path: LocalPath): DiskOutcome<Written>;
  /**
   * Returns true if another process has a set-aside file open to write, as far as the system tells.
   */
  isHeld(setAsideAt: string): boolean;
  removeSetAside(setAsideAt: string): void;
  /**
   * Removes temporary files. A set-aside file that no open intent names goes to `trash/unclaimed/`
   * and is never deleted.
   */
  sweep(keep: ReadonlySet<string>): void;
  /** Flushes files and their folders, several at a time. Returns failures, with errno. */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
  /**
   * Returns true if everything written in the folder before the call is on the medium now; false if
   * this disk cannot be asked, or did not answer.
   */
  flushAll(): Promise<boolean>;
}
