/**
 * Functions on relative paths with `/` between names and no slash at the ends; `""` is the root.
 */

/** A path below the linked folder, as it is spelled on the disk. */
export type LocalPath = string;
/**
 * A path below the linked part of the workspace, as it is spelled on the service, but without a
 * leading slash.
 */
export type RemotePath = string;

export function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}

/** Returns the path of the parent folder; `""` if the parent is the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the number of names in a path; 0 for the root. */
export function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length;
}

/** Returns true if `path` is below `folder`. Every path except the root is below the root. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" ? path !== "" : path.startsWith(`${folder}/`);
}

/** Returns true if `path` is `folder` or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Replaces the folder `from` at the start of `path` by `to`. `path` must be within `from`. */
export function rebase(path: string, from: string, to: string): string {
  if (path === from) return to;
  const relativePath = from === "" ? path : path.slice(from.length + 1);
  return joinPath(to, relativePath);
}

/**
 * Returns the path of every folder above `path`, the topmost first, without the root. For
 * `a/b/c.md`, these are `a` and `a/b`.
 */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let i = path.indexOf("/"); i !== -1; i = path.indexOf("/", i + 1)) ancestors.push(path.slice(0, i));
  return ancestors;
}

/** Differences between names that a disk ignores: the case, or the Unicode normal form. */
export type DiskFolding = { readonly foldsCase: boolean; readonly foldsUnicode: boolean };

/** Rules for names on the disk of the linked folder. mdmirror finds them out by trying. */
export type DiskNames = DiskFolding & {
  readonly maxNameBytes: number;
};

/** Returns true if the disk treats some different names as the same name. */
export function foldsNames({ foldsCase, foldsUnicode }: DiskFolding): boolean {
  return foldsCase || foldsUnicode;
}

/** LIMIT: number of bytes of a name on common file systems. */
export const MAX_NAME_BYTES = 255;

export const EXACT_DISK: DiskNames = { foldsCase: false, foldsUnicode: false, maxNameBytes: MAX_NAME_BYTES };

/**
 * Returns a key for a local path. Two paths have the same key if the disk treats them as the same
 * path (I11). The key is the path itself, or its NFC form, with the case folded if the disk ignores
 * case.
 */
export function pathKey(path: LocalPath, disk: DiskFolding): string {
  const normalizedPath = foldsNames(disk) ? path.normalize("NFC") : path;
  // Disks that ignore case treat some pairs as equal that differ in one case only, such as "ß" and
  // "ss", or "ſ" and "s". Converting to upper case and then to lower case makes all of them equal.
  // Either conversion alone does not.
  return disk.foldsCase ? normalizedPath.toUpperCase().toLowerCase() : normalizedPath;
}

const CONFLICT_COPY_ENDING = / \((?:theirs|mine)(?: \d+)?\)\.md$/;

/** Returns the longest beginning of a string, in whole code points, that fits into the bytes. */
export function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let beginning = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    beginning += character;
  }
  return beginning;
}

/**
 * Returns true if a name has the form of a conflict copy. A file with such a name is never matched
 * to a document or uploaded, even if the state is lost.
 */
export function isConflictCopyName(name: string): boolean {
  return CONFLICT_COPY_ENDING.test(name);
}
