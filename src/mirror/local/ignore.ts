/**
 * Decides which paths are not synced, by fixed rules for names and by the user's ignore files
 * (`rules.ts`).
 */

import { ancestorsOf, isConflictCopyName, type LocalPath, nameOf } from "../../contract/path.ts";
import type { UnsyncedEntry } from "../model/tree.ts";
import { findExclusion, type Rules } from "./rules.ts";
import { once } from "../../common/once.ts";

import ignore from "ignore";

const LEFTOVER_PATTERNS = [
  /^\.#/, // Emacs locks
  /^#.*#$/, // Emacs auto-saves
  /~$/, // backups
  /^~\$/, // office locks
  /^\.~/, // office locks, sync tools
  /^~syncthing~/,
  /^\.syncthing\./,
  /^\._/, // AppleDouble
  /\.sw[a-px]$/, // Vim swap files
  /\.kate-swp$/,
  /^4913$/, // Vim creates it to test if a folder is writable
  /^\.goutputstream-/,
  /^\.(?:nfs|fuse_hidden)[0-9A-Fa-f]{8,}$/, // files that were removed while open
  /^(?:\.DS_Store|\.directory|\.localized|Icon\r|[Tt]humbs\.db|[Dd]esktop\.ini)$/,
];
// One joined expression is faster than several, and a scan compares the name of every file and
// folder.
const LEFTOVER_NAME = new RegExp(LEFTOVER_PATTERNS.map(({ source }) => source).join("|"));

export function isLeftoverName(name: string): boolean {
  return LEFTOVER_NAME.test(name);
}

/**
 * Returns a function that is true for each path that the pattern matches, and for each path below
 * such a path.
 * @param pattern one line in gitignore syntax, which the caller has checked with `findPatternFault`
 */
export function createMatcher(pattern: string): (path: LocalPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(pattern);
  return (path) => rules.ignores(path);
}

function isAlwaysIgnored(name: string, kind: "file" | "folder"): boolean {
  return kind === "folder" ? name.startsWith(".") : isLeftoverName(name) || isConflictCopyName(name);
}

/**
 * Returns true if a path is not synced. Does not read the disk, so nothing needs to exist at the
 * local path. A path below an excluded folder is excluded.
 * @param kept paths that are synced although a `.gitignore` file excludes them, because a document
 * at or below them has a record
 */
export function ignoresPath(
  rules: Rules,
  path: LocalPath,
  kind: "file" | "folder",
  kept: ReadonlySet<LocalPath> = NO_PATHS,
): boolean {
  if (ancestorsOf(path).some((folder) => isAlwaysIgnored(nameOf(folder), "folder"))) return true;
  if (isAlwaysIgnored(nameOf(path), kind)) return true;
  const exclusion = findExclusion(rules, path, kind);
  return exclusion !== null && !(exclusion.by === "git" && kept.has(path));
}

const NO_PATHS: ReadonlySet<LocalPath> = new Set();

/**
 * Rules that decide whether a path is synced.
 * - `recorded`: paths with a record, which no `.gitignore` file can exclude. Null if `.gitignore`
 *   files have no effect.
 * - `kept`: receives the paths that are synced only because of their record.
 */
export type SyncRules = {
  readonly rules: Rules;
  readonly recorded: RecordedPaths | null;
  readonly kept?: Set<LocalPath>;
};

type WhyUnsynced = Pick<UnsyncedEntry, "kind"> & Partial<Pick<UnsyncedEntry, "rule">>;

export function whyFileUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  const name = nameOf(path);
  if (isLeftoverName(name)) return { kind: "litter" };
  if (isConflictCopyName(name)) return { kind: "conflict-copy" };
  if (!name.endsWith(".md")) return { kind: "other-file" };
  const exclusion = findExclusion(rules, path, "file");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored", rule };
  if (recorded?.has(path) !== true) return { kind: "git-ignored", rule };
  kept?.add(path);
  return null;
}

export function whyFolderUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  if (nameOf(path).startsWith(".")) return { kind: "dot-folder" };
  const exclusion = findExclusion(rules, path, "folder");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored-folder", rule };
  if (recorded?.isBelow(path) !== true) return { kind: "git-ignored-folder", rule };
  kept?.add(path);
  return null;
}

/**
 * Function that returns the local paths of all documents with a record. A `.gitignore` file does
 * not exclude these paths, because a document that is already synced is no build output.
 */
export type RecordedPathSource = () => Iterable<LocalPath>;

/** Fast lookup in the paths of documents with a record. The first call reads the paths. */
export type RecordedPaths = {
  has(path: LocalPath): boolean;
  isBelow(folder: LocalPath): boolean;
};

export function indexRecordedPaths(source: RecordedPathSource): RecordedPaths {
  const readPaths = once(() => {
    const files = new Set(source());
    const folders = new Set<LocalPath>();
    for (const path of files) for (const folder of ancestorsOf(path)) folders.add(folder);
    return { files, folders };
  });
  return { has: (path) => readPaths().files.has(path), isBelow: (folder) => readPaths().folders.has(folder) };
}
