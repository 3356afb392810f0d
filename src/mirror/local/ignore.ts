/** Decides which paths are not synced: by fixed rules, and by those of the folder (`rules.ts`). */

import { ancestorsOf, isConflictCopyName, type LocalPath, nameOf } from "../../contract/path.ts";
import type { LocalOther } from "../model/tree.ts";
import { exclusionOf, type Rules } from "./rules.ts";
import { once } from "../../common/once.ts";

import ignore from "ignore";

/**
 * Leftovers of editors, sync tools and desktops: locks, backups, swap files, half-written saves,
 * view settings of a folder.
 */
const LEFTOVERS = [
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
// One expression, because each name in a folder is compared with all patterns.
const LEFTOVER_NAME = new RegExp(LEFTOVERS.map(({ source }) => source).join("|"));

export function isLeftoverName(name: string): boolean {
  return LEFTOVER_NAME.test(name);
}

/**
 * Returns a function that is true for a path that matches the pattern, and for paths below it. The
 * caller has checked the pattern (`patternFault`).
 */
export function createMatcher(pattern: string): (path: LocalPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(pattern);
  return (path) => rules.ignores(path);
}

/** Returns true if the name alone excludes a path, whatever the ignore rules say. */
function isAlwaysIgnored(name: string, kind: "file" | "folder"): boolean {
  return kind === "folder" ? name.startsWith(".") : isLeftoverName(name) || isConflictCopyName(name);
}

/**
 * Implements `LocalTree.ignores`: decides about a path of either side without reading the disk. A
 * path below an excluded folder is excluded.
 * @param kept paths that a `.gitignore` would leave out, and that are synced because they are
 * linked
 */
export function ignoresPath(
  rules: Rules,
  path: LocalPath,
  kind: "file" | "folder",
  kept: ReadonlySet<LocalPath> = NONE,
): boolean {
  if (ancestorsOf(path).some((folder) => isAlwaysIgnored(nameOf(folder), "folder"))) return true;
  if (isAlwaysIgnored(nameOf(path), kind)) return true;
  const exclusion = exclusionOf(rules, path, kind);
  return exclusion !== null && !(exclusion.by === "git" && kept.has(path));
}

const NONE: ReadonlySet<LocalPath> = new Set();

/**
 * Rules that decide whether a path is synced. `linked`: paths that no `.gitignore` leaves out;
 * null: these files are not followed. `kept`: receives paths that a `.gitignore` would leave out if
 * no recorded document was at or below them.
 */
export type SyncRules = {
  readonly rules: Rules;
  readonly recorded: RecordedPaths | null;
  readonly kept?: Set<LocalPath>;
};

/** The reason why a path is not synced, and the rule if a rule is the reason. */
type WhyUnsynced = Pick<LocalOther, "kind"> & Partial<Pick<LocalOther, "rule">>;

/** Returns why a file is not synced; null if the file is synced. */
export function whyFileUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  const name = nameOf(path);
  if (isLeftoverName(name)) return { kind: "litter" };
  if (isConflictCopyName(name)) return { kind: "conflict-copy" };
  if (!name.endsWith(".md")) return { kind: "other-file" };
  const exclusion = exclusionOf(rules, path, "file");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored", rule };
  if (recorded?.has(path) !== true) return { kind: "git-ignored", rule };
  kept?.add(path);
  return null;
}

/** Returns why a folder is not synced; null if the folder is synced. */
export function whyFolderUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  if (nameOf(path).startsWith(".")) return { kind: "dot-folder" };
  const exclusion = exclusionOf(rules, path, "folder");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored-folder", rule };
  if (recorded?.isBelow(path) !== true) return { kind: "git-ignored-folder", rule };
  kept?.add(path);
  return null;
}

/**
 * Local paths of recorded documents. A `.gitignore` leaves out only paths that have no record: a
 * synced document is not build output.
 */
export type RecordedPathSource = () => Iterable<LocalPath>;

/** Index of the recorded paths, built on first use. */
export type RecordedPaths = {
  has(path: LocalPath): boolean;
  /** Returns true if a recorded document is below the folder. */
  isBelow(folder: LocalPath): boolean;
};

export function recordedPaths(source: RecordedPathSource): RecordedPaths {
  const read = once(() => {
    const files = new Set(source());
    const folders = new Set<LocalPath>();
    for (const path of files) for (const folder of ancestorsOf(path)) folders.add(folder);
    return { files, folders };
  });
  return { has: (path) => read().files.has(path), isBelow: (folder) => read().folders.has(folder) };
}
