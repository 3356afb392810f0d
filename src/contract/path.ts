/**
 * Arithmetic of paths. Paths are relative, `/`-separated, without leading or trailing slash; `""`
 * is the root.
 */

/** A path below the mirrored folder, spelled as the disk spells it. */
export type LocalPath = string;
/**
 * A path below the mirrored subtree of the workspace, spelled as the service spells it, without a
 * leading slash.
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

/** Number of names in a path; 0 for the root. */
export function depthOf(path: string): number {
  if (path === "") return 0;
  let depth = 1;
  for (let i = path.indexOf("/"); i !== -1; i = path.indexOf("/", i + 1)) depth++;
  return depth;
}

/** Whether `path` lies strictly below `folder`. Everything but the root lies below the root. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === "") return path !== "";
  return path.length > folder.length && path.startsWith(folder) && path[folder.length] === "/";
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Replaces the leading `from` of `path` (which must be `from` or below it) by `to`. */
export function rebase(path: string, from: string, to: string): string {
  if (path === from) return to;
  const rest = from === "" ? path : path.slice(from.length + 1);
  return joinPath(to, rest);
}

/**
 * @returns every folder above `path`, outermost first, without the root. `a/b/c.md` → `a`, `a/b`.
 */
export function ancestorsOf(path: string): string[] {
  const result: string[] = [];
  for (let i = path.indexOf("/"); i !== -1; i = path.indexOf("/", i + 1)) result.push(path.slice(0, i));
  return result;
}

/** Which names a side takes for one. */
export type DiskFolding = { readonly foldsCase: boolean; readonly foldsUnicode: boolean };

/** Which names the disk under the root takes. Learned from the disk, not from the platform. */
export type DiskNames = DiskFolding & {
  /** Bytes of the longest name. */
  readonly maxNameBytes: number;
};

/** Whether the disk takes some different names for one. */
export function folds({ foldsCase, foldsUnicode }: DiskFolding): boolean {
  return foldsCase || foldsUnicode;
}

/** LIMIT: bytes of a name on the common file systems. */
export const MAX_NAME_BYTES = 255;

export const EXACT_DISK: DiskNames = { foldsCase: false, foldsUnicode: false, maxNameBytes: MAX_NAME_BYTES };

/**
 * The key under which a local path is unique on a disk (I11): the path itself, or its NFC form, or
 * that with its case folded.
 */
export function pathKey(path: LocalPath, disk: DiskFolding): string {
  const composed = folds(disk) ? path.normalize("NFC") : path;
  // Upper before lower case folds more than either alone ("ß", "ſ", final sigma), as such disks do.
  return disk.foldsCase ? composed.toUpperCase().toLowerCase() : composed;
}

const SIDECAR = / \((?:theirs|mine)(?: \d+)?\)\.md$/;

/** Cuts between code points, never within one. */
export function cutToBytes(text: string, max: number): string {
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > max) break;
    cut += character;
  }
  return cut;
}

/** Names of this form are never mapped nor uploaded, even when the state is lost. */
export function isSidecarName(name: string): boolean {
  return SIDECAR.test(name);
}
