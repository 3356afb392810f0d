import { type LocalPath, parentOf } from "./path.ts";

/**
 * From this many values in one folder on, its map is kept: building it again at each visit would
 * cost too much.
 */
const LARGE = 256;

type Folder<V> = { readonly path: string; readonly members: V[]; byPath: Map<LocalPath, V> | null };

/**
 * Finds values by their paths, when paths are asked for folder by folder. It keeps a small map of
 * the last folder: for 100,000 paths one large map takes five times as long, because each access is
 * to another part of memory.
 * @returns what finds the last value at a path
 */
export function findByFolder<V>(
  values: Iterable<V>,
  pathOf: (value: V) => LocalPath,
): (path: LocalPath) => V | undefined {
  const folders = new Map<LocalPath, Folder<V>>();
  const open = (path: LocalPath): Folder<V> => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const folder: Folder<V> = { path, members: [], byPath: null };
    folders.set(path, folder);
    return folder;
  };
  let current = open("");
  for (const value of values) {
    const path = pathOf(value);
    if (!isDirectlyIn(path, current.path)) current = open(parentOf(path));
    current.members.push(value);
  }
  return (path) => {
    if (!isDirectlyIn(path, current.path)) {
      const next = folders.get(parentOf(path));
      if (next === undefined) return undefined;
      if (current.members.length < LARGE) current.byPath = null;
      current = next;
    }
    current.byPath ??= new Map(current.members.map((member) => [pathOf(member), member]));
    return current.byPath.get(path);
  };
}

function isDirectlyIn(path: LocalPath, folder: LocalPath): boolean {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? folder === "" : slash === folder.length && path.startsWith(folder);
}
