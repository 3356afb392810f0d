/**
 * Functions on paths. Paths are relative, `/`-separated, without leading or trailing slash; `""` is
 * the root.
 */

/** A path below the linked folder, spelled as on the disk. */
export type LocalPath = string;
/**
 * A path below the linked subtree of the workspace, spelled as on the service, without a leading
 * slash.
 */
export type RemotePath = string;

export function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}

/** @returns the parent's path; `""` for a path in the root. */
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

/**
 * Returns true if `path` is strictly below `folder`. Every path except the root is below the root.
 */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" ? path !== "" : path.startsWith(`${folder}/`);
}

/** Returns true if `path` is `folder` or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Replaces the folder `from` at the start of `path` by `to`. `path` must be `from` or below it. */
export function rebase(path: string, from: string, to: string): string {
  if (path === from) return to;
  const relativePath = from === "" ? path : path.slice(from.length + 1);
  return joinPath(to, relativePath);
}

/**
 * @returns every folder above `path`, outermost first, without the root. `a/b/c.md` → `a`, `a/b`.
 */
export function ancestorsOf(path: string): string[] {
  const result: string[] = [];
  for (let i = path.indexOf("/"); i !== -1; i = path.indexOf("/", i + 1)) result.push(path.slice(0, i));
  return result;
}

/**
 * Differences between names that a side ignores: upper and lower case, or the Unicode normal form.
 */
export type DiskFolding = { readonly foldsCase: boolean; readonly foldsUnicode: boolean };

/**
 * Names that the disk of the linked folder accepts. mdmirror tests the disk; the platform alone
 * does not decide.
 */
export type DiskNames = DiskFolding & {
  readonly maxNameBytes: number;
};

/** Returns true if the disk treats some different names as equal. */
export function foldsNames({ foldsCase, foldsUnicode }: DiskFolding): boolean {
  return foldsCase || foldsUnicode;
}

/** LIMIT: bytes of a name on the common file systems. */
export const MAX_NAME_BYTES = 255;

export const EXACT_DISK: DiskNames = { foldsCase: false, foldsUnicode: false, maxNameBytes: MAX_NAME_BYTES };

/**
 * Returns the key under which a local path is unique on a disk (I11): the path itself, or its NFC
 * form, whose case may be folded.
 */
export function pathKey(path: LocalPath, disk: DiskFolding): string {
  const composed = foldsNames(disk) ? path.normalize("NFC") : path;
  // Disks that ignore case treat letters such as "ß" and "ss", "ſ" and "s" as one. Converting to
  // upper case and then to lower case does the same; each conversion alone leaves some of them
  // apart.
  return disk.foldsCase ? composed.toUpperCase().toLowerCase() : composed;
}

const CONFLICT_COPY = / \((?:theirs|mine)(?: \d+)?\)\.md$/;

/**
 * Returns the longest beginning of a text that fits into `maxBytes`. Cuts between code points,
 * never within one.
 */
export function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut;
}

/**
 * Returns true if a name has the form of a conflict copy. Such files are neither matched to a
 * document nor uploaded, even if the state is lost.
 */
export function isConflictCopyName(name: string): boolean {
  return CONFLICT_COPY.test(name);
}
