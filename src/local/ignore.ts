import ignore from "ignore";
import { patternFault } from "./pattern-fault.ts";
import { ancestorsOf, isSidecarName, type LocalPath, nameOf, parentOf } from "../model/path.ts";

/** What stays local: by fixed rules, and by `.mdmirrorignore` files. */

export const IGNORE_FILE = ".mdmirrorignore";

/**
 * Leftovers of editors, sync tools and desktops: locks, backups, swap files, half-written saves,
 * views of a folder.
 */
const LITTER: readonly RegExp[] = [
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
  /^4913$/, // Vim's probe of a folder
  /^\.goutputstream-/,
  /^\.(?:nfs|fuse_hidden)[0-9A-Fa-f]{8,}$/, // removed while open
  /^(?:\.DS_Store|\.directory|\.localized|Icon\r|[Tt]humbs\.db|[Dd]esktop\.ini)$/,
];

export function isLitterName(name: string): boolean {
  return LITTER.some((form) => form.test(name));
}

/** @returns whether a path is what the pattern names, or lies below it; the pattern has no fault */
export function createMatcher(pattern: string): (path: LocalPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(pattern);
  return (path) => rules.ignores(path);
}

/** The patterns of one folder's `.mdmirrorignore`. */
export type FolderRules = { readonly folder: LocalPath; readonly rules: ReturnType<typeof ignore> };

/** The rules of the whole tree; along any path, the outermost folder's come first. */
type IgnoreRules = ReadonlyMap<LocalPath, FolderRules>;

/**
 * Rules that cannot be used, so that they might exclude anything. The message is a clause for
 * people.
 */
export class UnfitRules extends Error {}

/**
 * Reads the rules of one file.
 * @param text gitignore syntax
 * @param foldsCase git's rule: patterns match as the disk's names do
 * @throws UnfitRules for a line that would cost too much; without that line, files that it excludes
 * would be sent
 */
export function parseRules(folder: LocalPath, text: string, foldsCase: boolean): FolderRules {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fault = line.startsWith("#") ? null : patternFault(line);
    if (fault !== null) throw new UnfitRules(`line ${index + 1} of its ${IGNORE_FILE} ${fault}`);
  }
  return { folder, rules: ignore({ ignorecase: foldsCase }).add(text) };
}

/**
 * Whether the rules exclude a path whose folders are not excluded. As in git, the innermost file
 * that says anything decides, and in it the last line.
 */
export function excludes(rules: IgnoreRules, path: LocalPath, kind: "file" | "folder"): boolean {
  if (rules.size === 0) return false;
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    const verdict = rules.get(folder)?.rules.test(pathWithin(folder, path, kind));
    if (verdict?.ignored || verdict?.unignored) return verdict.ignored;
    if (folder === "") return false;
  }
}

/** A path in the form in which a folder's patterns match it. */
function pathWithin(folder: LocalPath, path: LocalPath, kind: "file" | "folder"): string {
  const below = folder === "" ? path : path.slice(folder.length + 1);
  return kind === "folder" ? `${below}/` : below;
}

/** Whether a name alone keeps a thing local, whatever `.mdmirrorignore` says. */
function isAlwaysIgnored(name: string, kind: "file" | "folder"): boolean {
  return kind === "folder" ? name.startsWith(".") : isLitterName(name) || isSidecarName(name);
}

/**
 * `LocalTree.ignores`: judges a path, of either side, without looking at the disk. A path below an
 * excluded folder is excluded.
 */
export function ignoresPath(rules: IgnoreRules, path: LocalPath, kind: "file" | "folder"): boolean {
  for (const folder of ancestorsOf(path)) {
    if (isAlwaysIgnored(nameOf(folder), "folder") || excludes(rules, folder, "folder")) return true;
  }
  return isAlwaysIgnored(nameOf(path), kind) || excludes(rules, path, kind);
}
