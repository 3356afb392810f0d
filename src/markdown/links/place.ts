import { isDirId, isDocId } from "../../contract/ids.ts";
import { decodePercents, parentOf } from "../../contract/path.ts";
import { type Destination, isId, encodeDestination } from "./destination.ts";
import { readNameOfDestination, type DocumentNames } from "./wiki.ts";

/**
 * Path of a local document whose links are read or written, with lookups between paths and ids of
 * documents and folders. Paths are relative to the linked folder, without slashes at both ends;
 * `""` is the folder itself. If `idAt(pathOf(id))` is not `id`, the id counts as unknown.
 */
export type Place = {
  readonly path: string;
  /** Returns the id of the local document or folder at a path; null if there is none. */
  idAt(path: string): string | null;
  /** Returns the local path of a document or folder; null if it has no local path. */
  pathOf(id: string): string | null;
  /**
   * Returns the id of the target of an absolute path, such as `/plans/a.md`. The path is passed
   * without its first slash. By default, `idAt` is used, which is right if the whole workspace is
   * linked.
   */
  idAtAbsolute?(path: string): string | null;
  /** Lookups for wiki links; undefined if wiki links are not translated. */
  readonly names?: DocumentNames | undefined;
};

export function resolveDestination({ kind, target }: Destination, place: Place): string | null {
  if (kind === "foreign") return null;
  const id =
    kind === "wiki"
      ? (place.names?.idOf(readNameOfDestination(target)!) ?? null)
      : ((kind === "id" ? findKnownId(target, place) : null) ?? resolvePath(target, place));
  return id !== null && isId(id) ? id : null;
}

function findKnownId(target: string, place: Place): string | null {
  const path = place.pathOf(target);
  return path !== null && place.idAt(path) === target ? target : null;
}

function resolvePath(target: string, place: Place): string | null {
  if (target === "") return null;
  const isAbsolute = target.startsWith("/");
  const path = followPath(isAbsolute ? "" : parentOf(place.path), target);
  if (path === null) return null;
  const lookUp = (form: string) => (isAbsolute && place.idAtAbsolute ? place.idAtAbsolute(form) : place.idAt(form));
  // The other Unicode normal forms of the path are looked up too, because some editors and disks
  // change the form of a file name.
  const id = lookUp(path) ?? lookUp(path.normalize("NFC")) ?? lookUp(path.normalize("NFD"));
  return id !== null && isDocId(id) && target.endsWith("/") ? null : id;
}

/**
 * Returns the path that a destination names, even if nothing exists at the path. Returns null if
 * the path leads out of the linked folder.
 */
export function resolveToPath({ kind, target }: Destination, place: Place): string | null {
  if (kind === "foreign" || target === "") return null;
  if (kind === "wiki") return place.names?.pathOf(readNameOfDestination(target)!) ?? null;
  const isAbsolute = target.startsWith("/");
  return isAbsolute && place.idAtAbsolute ? null : followPath(isAbsolute ? "" : parentOf(place.path), target);
}

function followPath(folder: string, target: string): string | null {
  const names = folder === "" ? [] : folder.split("/");
  for (const part of target.split("/")) {
    // If a percent sign does not encode UTF-8, it is an ordinary character of the name.
    const name = decodePercents(part) ?? part;
    if (name.includes("/")) return null;
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}

/**
 * Returns the relative path to a document or folder, as a destination. The path to a folder ends
 * with a slash. Returns null if the id has no path, or if the destination would not lead to the
 * document or folder.
 * @param angle true if `<` and `>` will enclose the destination
 */
export function makeShortestDestination(id: string, place: Place, angle: boolean): string | null {
  const path = place.pathOf(id);
  if (path === null) return null;
  const encodedPath = encodeDestination(makeRelativePath(parentOf(place.path), path, isDirId(id)), angle);
  return resolvePath(encodedPath, place) === id ? encodedPath : null;
}

function makeRelativePath(folder: string, path: string, isFolder: boolean): string {
  const from = folder === "" ? [] : folder.split("/");
  const to = path === "" ? [] : path.split("/");
  const maxShared = Math.min(from.length, isFolder ? to.length : to.length - 1);
  let sharedCount = 0;
  while (sharedCount < maxShared && from[sharedCount] === to[sharedCount]) sharedCount++;
  const names = [...from.slice(sharedCount).map(() => ".."), ...to.slice(sharedCount)];
  const relativePath = names.join("/");
  if (!isFolder) return relativePath;
  return relativePath === "" ? "./" : `${relativePath}/`;
}
