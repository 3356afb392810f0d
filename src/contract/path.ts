/**
 * Functions on relative paths. The names in a path are separated by `/`, without a slash at either
 * end; `""` is the root.
 */

/** A path below the linked folder, with the spelling of the disk. */
export type LocalPath = string;
/**
 * A path below the linked part of the workspace, with the spelling of the service and no leading
 * slash.
 */
export type RemotePath = string;

export function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length;
}

/**
 * Returns true if `path` is below `folder`. All paths except the root itself are below the root.
 */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" ? path !== "" : path.startsWith(`${folder}/`);
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Replaces the folder `from` at the start of `path` by `to`. `path` is `from` or below it. */
export function rebase(path: string, from: string, to: string): string {
  if (path === from) return to;
  const relativePath = from === "" ? path : path.slice(from.length + 1);
  return joinPath(to, relativePath);
}

/** Returns all folders above `path` except the root: `a` and `a/b` for `a/b/c.md`. */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let i = path.indexOf("/"); i !== -1; i = path.indexOf("/", i + 1)) ancestors.push(path.slice(0, i));
  return ancestors;
}

/** Differences between names that a disk may ignore: case, and Unicode normal forms. */
export type DiskFolding = { readonly foldsCase: boolean; readonly foldsUnicode: boolean };

/** Rules of a disk for names. mdmirror tests the disk of a linked folder to learn these rules. */
export type DiskNames = DiskFolding & {
  readonly maxNameBytes: number;
};

export function foldsNames({ foldsCase, foldsUnicode }: DiskFolding): boolean {
  return foldsCase || foldsUnicode;
}

/** LIMIT: number of bytes of a name, because common file systems refuse longer names. */
export const MAX_NAME_BYTES = 255;

export const EXACT_DISK: DiskNames = { foldsCase: false, foldsUnicode: false, maxNameBytes: MAX_NAME_BYTES };

/**
 * Returns a key for a local path. Two paths have the same key if they are the same path on the disk
 * (I11).
 */
export function pathKey(path: LocalPath, disk: DiskFolding): string {
  const normalizedPath = foldsNames(disk) ? path.normalize("NFC") : path;
  // Both conversions are needed, because a disk may treat "ß" and "ss" as equal, and also the
  // Kelvin sign and "k". Lower case alone does not equate the first pair; upper case alone does not
  // equate the second pair.
  return disk.foldsCase ? normalizedPath.toUpperCase().toLowerCase() : normalizedPath;
}

const CONFLICT_COPY_ENDING = / \((?:theirs|mine)(?: \d+)?\)\.md$/;

/**
 * Returns the longest beginning of a string that has at most `maxBytes` bytes in UTF-8. Never cuts
 * a code point.
 */
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
 * Returns true for the name of a conflict copy. Such a file is never uploaded or matched to a
 * document, even if the state file is lost.
 */
export function isConflictCopyName(name: string): boolean {
  return CONFLICT_COPY_ENDING.test(name);
}

/** Decodes a part of a URL. Returns null if its percent-encoding is not valid. */
export function decodePercents(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
