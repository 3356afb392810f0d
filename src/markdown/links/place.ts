import { isDirId, isDocId } from "../../contract/ids.ts";
import { parentOf } from "../../contract/path.ts";
import { decodePercents, type Destination, isId, encodeDestination } from "./destination.ts";
import { nameOfDestination, type DocumentNames } from "./wiki.ts";

/**
 * Lookup for reading a document's links: its own path, and those of all others. Paths are relative
 * to the linked folder, `/`-separated, without leading or trailing slash; `""` is that folder.
 * Lookups must agree: if `idAt(pathOf(id))` is not `id`, the id counts as missing.
 */
export type Place = {
  /** Local path of the document. */
  readonly path: string;
  /** Returns the id of the local document or folder at `path`; null if there is none. */
  idAt(path: string): string | null;
  /** Returns the local path of the document or folder with this id; null if there is none. */
  pathOf(id: string): string | null;
  /**
   * Returns the target of an absolute destination (`/plans/a.md`). Needed if only a part of the
   * workspace is linked; default: `idAt`. `path` has no leading slash.
   */
  idAtAbsolute?(path: string): string | null;
  /** Targets of wiki links. Undefined: wiki links do not count as links. */
  readonly names?: DocumentNames | undefined;
};

/** Returns the id of a destination's target; null if none is known. */
export function resolveDestination({ kind, target }: Destination, place: Place): string | null {
  if (kind === "foreign") return null;
  const id =
    kind === "wiki"
      ? (place.names?.idOf(nameOfDestination(target)!) ?? null)
      : ((kind === "id" ? knownId(target, place) : null) ?? resolvePath(target, place));
  return id !== null && isId(id) ? id : null;
}

function knownId(target: string, place: Place): string | null {
  const path = place.pathOf(target);
  return path !== null && place.idAt(path) === target ? target : null;
}

function resolvePath(target: string, place: Place): string | null {
  if (target === "") return null;
  const absolute = target.startsWith("/");
  const path = walk(absolute ? "" : parentOf(place.path), target);
  if (path === null) return null;
  const lookUp = (form: string) => (absolute && place.idAtAbsolute ? place.idAtAbsolute(form) : place.idAt(form));
  // Some editors and disks write a name in another Unicode normal form than the file has.
  const id = lookUp(path) ?? lookUp(path.normalize("NFC")) ?? lookUp(path.normalize("NFD"));
  return id !== null && isDocId(id) && target.endsWith("/") ? null : id;
}

/**
 * Returns the path that a destination leads to, even if nothing exists at the path; null if the
 * path is outside the root.
 */
export function pathTo({ kind, target }: Destination, place: Place): string | null {
  if (kind === "foreign" || target === "") return null;
  if (kind === "wiki") return place.names?.pathOf(nameOfDestination(target)!) ?? null;
  const absolute = target.startsWith("/");
  return absolute && place.idAtAbsolute ? null : walk(absolute ? "" : parentOf(place.path), target);
}

/** Returns the path to which `target` leads from a folder; null if the path is outside the root. */
function walk(folder: string, target: string): string | null {
  const names = folder === "" ? [] : folder.split("/");
  for (const part of target.split("/")) {
    // A percent sign that does not encode UTF-8 is a part of the name.
    const name = decodePercents(part) ?? part;
    if (name.includes("/")) return null;
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}

/**
 * Returns the shortest relative destination for an id; a folder's ends with a slash.
 * @returns null if the id has no path, or no destination would lead to it
 */
export function shortestDestination(id: string, place: Place, angle: boolean): string | null {
  const path = place.pathOf(id);
  if (path === null) return null;
  const written = encodeDestination(relativePath(parentOf(place.path), path, isDirId(id)), angle);
  return resolvePath(written, place) === id ? written : null;
}

function relativePath(folder: string, path: string, isFolder: boolean): string {
  const from = folder === "" ? [] : folder.split("/");
  const to = path === "" ? [] : path.split("/");
  const most = Math.min(from.length, isFolder ? to.length : to.length - 1);
  let shared = 0;
  while (shared < most && from[shared] === to[shared]) shared++;
  const names = [...from.slice(shared).map(() => ".."), ...to.slice(shared)];
  const relative = names.join("/");
  if (!isFolder) return relative;
  return relative === "" ? "./" : `${relative}/`;
}
