import type { Digest } from "../../contract/digest.ts";
import type { Stamp } from "../model/link.ts";
import type { DiskNames, LocalPath } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";

/**
 * `path`: the path that was asked for, as the caller's own string, which the tree then shares.
 * `stamp` null: none is trusted, so the file is read; if it has this digest, its text is the
 * caller's already.
 */
export type KnownFile = { readonly stamp: Stamp | null; readonly digest: Digest; readonly path: LocalPath };

/** Takes a text that was found at a path, before it can be lost. */
export type OnText = (digest: Digest, text: string, path: LocalPath) => void;

export type LocalText = {
  readonly text: string;
  readonly digest: Digest;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
};

/**
 * How an effect on the disk ended. `fault`: with the errno; nothing was changed, or it was put
 * back. `parked`: in between: the file that was set aside is still at the caller's `parkAt` (of a
 * move: the file has both names), so the intent must stay open until recovery has settled it.
 */
export type DiskOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "stale"; readonly detail: string; readonly parked?: true }
  | { readonly kind: "fault"; readonly errno: string; readonly detail: string; readonly parked?: true };

export type Written = { readonly stamp: Stamp };

export type NewFile = { readonly path: LocalPath; readonly text: string };

export type RootIdentity = {
  readonly dev: number;
  readonly ino: number;
  readonly birthMs: number;
  readonly markerId: string | null;
};

/** What is at a path: a file with its digest, nothing, or unknown and why. */
export type Look =
  | { readonly kind: "file"; readonly digest: Digest; readonly stamp: Stamp }
  | { readonly kind: "folder"; readonly dev: number; readonly ino: number; readonly birthMs: number }
  | { readonly kind: "other" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

/** What tells that somebody has a file in hand. Times are the disk's; null: no file is there. */
export type FileUse = {
  /** When it last changed in whatever way, also by an equal text: milliseconds since the epoch. */
  readonly changedMs: number | null;
  /** When its bytes were last written: a rename leaves that as it is. */
  readonly savedMs: number | null;
  /** The program whose lock or swap file says that it has it open; null: none does. */
  readonly openIn: string | null;
};

/**
 * The folder. Synchronous but for `flush`: a synchronous call leaves the smallest
 * window between a look and an effect, and is the fastest on small files. No symlink is followed in
 * any component; nothing outside the root is touched (I26). Parked paths and trash paths are
 * relative to `.mdmirror/`. Every effect that takes a document off its path is journalled by the
 * caller before (intent with `parkAt`).
 */
export interface Disk {
  /** null when the root is not there or not a folder. */
  identify(): RootIdentity | null;
  names(): DiskNames;
  /**
   * Walks the whole folder; reads and hashes each file whose stamp `known` does not have. New texts
   * are handed to `onText`, which keeps them before they can be lost.
   */
  walk(known: (path: LocalPath) => KnownFile | null, onText: OnText): LocalTree;
  /** The same walk, with a pause each millisecond or two in which others may have their turn. */
  walkInParts(...asked: Parameters<Disk["walk"]>): Generator<void, LocalTree>;
  /**
   * Looks again at some paths of an earlier walk, as long as only the text of known files changed.
   * Returns the same object when nothing changed, and null when only a whole walk can tell.
   * @param elsewhere whether a document that is not in `tree`, a part of all, has this inode
   */
  lookAtFiles(
    tree: LocalTree,
    paths: Iterable<LocalPath>,
    onText: OnText,
    elsewhere?: (stamp: Pick<Stamp, "dev" | "ino">) => boolean,
  ): LocalTree | null;
  look(path: LocalPath): Look;
  useOf(path: LocalPath): FileUse;
  /**
   * A text as a person would see it in the file at this path, and the inverse. Left out where files
   * hold the very texts.
   */
  shown?(path: LocalPath, text: string): string;
  meant?(path: LocalPath, shown: string): string;
  /** Runs calls that look only once at folders which they share: few, and none that waits. */
  together<T>(work: () => T): T;
  /** The text, strictly UTF-8, byte for byte (BOM kept). */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /** A new file by temp file and `link`; stale when its path is taken. The parent must exist. */
  create(path: LocalPath, text: string): DiskOutcome<Written>;
  /** As `create` for each, in their order, but looks only once at folders that they share. */
  createAll(files: readonly NewFile[]): readonly DiskOutcome<Written>[];
  /**
   * Replaces a file whose old inode the caller journalled: it stays at `parkAt` until
   * `discardParked`.
   */
  replace(path: LocalPath, text: string, expect: Digest, parkAt: string): DiskOutcome<Written>;
  /**
   * To a free path, never over anything; a case-only rename is a rename. `expect` null: any file.
   */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written>;
  /**
   * Moves a file to `trash/…` below `.mdmirror/`: takes it aside, looks at it, and puts it back
   * when it is not `expect`. `expect` null: any file.
   */
  trash(path: LocalPath, expect: Digest | null, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /**
   * Removes a folder that is empty but for leftovers of editors and desktops, which go to the trash
   * first.
   */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /**
   * The text of a parked inode, into which an editor may have written since; null when it is not
   * there. `path`: of its document, from which its links lead.
   */
  readParked(parkAt: string, path: LocalPath): DiskOutcome<LocalText | null>;
  /**
   * Puts a parked or trashed file back to its path, never over anything: stale when the path is
   * taken.
   */
  putBack(parkAt: string, path: LocalPath): DiskOutcome<Written>;
  /** Whether another process has a parked inode open to write, as far as the system tells. */
  isHeld(parkAt: string): boolean;
  discardParked(parkAt: string): void;
  /**
   * Every `tmp/…` path with something that was taken aside: after a power loss, its intent may be
   * lost.
   */
  listParked(): readonly string[];
  /** Every file below `trash/`, by its `trash/…` path. */
  listTrashed(): readonly { readonly place: string; readonly stamp: Stamp }[];
  /**
   * Removes temporary files. What was taken aside, and no open intent names, goes to
   * `trash/unclaimed/` and is never deleted.
   */
  sweep(keep: ReadonlySet<string>): void;
  /** fsync of files and their folders, several at a time. Returns those that failed, with errno. */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
  /**
   * Whether all that was written in the folder before the call is on the medium now. False: this
   * disk cannot be asked, or did not answer.
   */
  flushAll(): Promise<boolean>;
}
