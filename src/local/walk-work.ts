import type { LocalPath } from "../model/path.ts";
import type { Fs, FsStat, KnownFile, OnText } from "../ports/disk.ts";
import type { LocalFile, LocalOther } from "../model/tree.ts";
import type { WalkHold } from "./folder-handle.ts";
import type { FolderRules } from "./ignore.ts";

/** What the reading of every folder of one walk shares. */
export type WalkWork = {
  readonly fs: Fs;
  readonly hold: WalkHold;
  /** The root's device. */
  readonly dev: number;
  readonly diskNow: number | null;
  readonly foldsCase: boolean;
  readonly extraPatterns: readonly string[];
  readonly rules: Map<LocalPath, FolderRules>;
  readonly known: (path: LocalPath) => KnownFile | null;
  readonly onText: OnText;
  /**
   * Files that this walk has read, so that a second reading of a folder does not read them again.
   */
  readonly read: Map<LocalPath, LocalFile>;
  /** Entries looked at since the walk paused last. */
  looked: number;
  /** So many are looked at between two pauses, and those of one folder more. */
  readonly part: number;
};

/** One folder as it was read, with what is below. */
export type WalkedFolder = {
  readonly path: LocalPath;
  readonly abs: string;
  /** Taken before its entries were read. */
  readonly stat: FsStat;
  readonly files: LocalFile[];
  /** Files that are just what the caller vouches for, at its own path. */
  readonly same: LocalPath[];
  readonly others: LocalOther[];
  readonly folders: WalkedFolder[];
  /** With why. */
  readonly unseen: Map<LocalPath, string>;
};
