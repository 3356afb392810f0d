import type { LocalPath } from "../../contract/path.ts";
import type { Unread } from "../model/seen.ts";
import type { KnownFile, OnText } from "../ports/disk.ts";
import type { Fs, FsStat } from "../ports/fs.ts";
import type { LocalFile, LocalOther } from "../model/tree.ts";
import type { WalkHold } from "./folder-handle.ts";
import type { LinkedPaths } from "./linked-paths.ts";
import type { FolderRules } from "./rules.ts";

/** Shared by the reading of all folders in one walk. */
export type WalkWork = {
  readonly fs: Fs;
  readonly hold: WalkHold;
  /** The root's device. */
  readonly dev: number;
  readonly diskNow: number | null;
  readonly foldsCase: boolean;
  readonly extraPatterns: readonly string[];
  readonly rules: Map<LocalPath, FolderRules>;
  /** Paths that no `.gitignore` leaves out; null: these files are not followed. */
  readonly linked: LinkedPaths | null;
  /** Paths that a `.gitignore` would leave out if they, or something in them, were not linked. */
  readonly kept: Set<LocalPath>;
  readonly known: (path: LocalPath) => KnownFile | null;
  readonly onText: OnText;
  /** Files that this walk has read: a second reading of their folder does not read them again. */
  readonly read: Map<LocalPath, LocalFile>;
  /** Entries read since the last pause. */
  looked: number;
  /** Entries between two pauses; those of one folder may exceed it. */
  readonly part: number;
};

/** One folder as it was read, with everything below. */
export type WalkedFolder = {
  readonly path: LocalPath;
  readonly abs: string;
  /** Taken before the entries were read. */
  readonly stat: FsStat;
  readonly files: LocalFile[];
  readonly others: LocalOther[];
  readonly folders: WalkedFolder[];
  /** Paths that were not seen, with the reason. */
  readonly unseen: Map<LocalPath, Unread>;
};
