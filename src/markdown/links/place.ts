import { isDirId, isDocId } from "../../contract/ids.ts";
import { parentOf } from "../../contract/path.ts";
import { type Destination, isId, writeDestination } from "./destination.ts";
import { nameOfSaid, type Names } from "./wiki.ts";

/**
 * What is needed to read a document's links: where it is, and where all others are. Paths are
 * relative to the mirrored folder, `/`-separated, without leading or trailing slash; `""` is that
 * folder. Lookups must agree: where `idAt(pathOf(id))` is not `id`, the id counts as not there.
 */
export type Place = {
  /** Where the document is on disk. */
  readonly path: string;
  /** @returns the id of the document or folder on disk at `path`; null where none is */
  idAt(path: string): string | null;
  /** @returns where the document or folder of this id is on disk; null where it is not */
  pathOf(id: string): string | null;
  /**
   * What an absolute destination (`/plans/a.md`) leads to. Needed where only a part of the
   * workspace is mirrored; default: `idAt`. `path` has no leading slash.
   */
  idAtAbsolute?(path: string): string | null;
  /** What wiki links lead to. Left out: they are no links. */
  readonly names?: Names | undefined;
};

/** @returns the id of what a destination leads to; null where nothing known is */
export function resolve({ kind, said }: Destination, place: Place): string | null {
  if (kind === "foreign") return null;
  const id =
    kind === "wiki"
      ? (place.names?.idOf(nameOfSaid(said)!) ?? null)
      : ((kind === "id" ? knownId(said, place) : null) ?? resolvePath(said, place));
  return id !== null && isId(id) ? id : null;
}

function knownId(said: string, place: Place): string | null {
  const path = place.pathOf(said);
  return path !== null && place.idAt(path) === said ? said : null;
}

function resolvePath(said: string, place: Place): string | null {
  if (said === "") return null;
  const absolute = said.startsWith("/");
  const path = walk(absolute ? "" : parentOf(place.path), said);
  if (path === null) return null;
  const lookUp = (form: string) => (absolute && place.idAtAbsolute ? place.idAtAbsolute(form) : place.idAt(form));
  // Some editors and disks write a name in another Unicode normal form than the file has.
  const id = lookUp(path) ?? lookUp(path.normalize("NFC")) ?? lookUp(path.normalize("NFD"));
  return id !== null && isDocId(id) && said.endsWith("/") ? null : id;
}

/**
 * @returns the path to which a destination leads, whether anything is there or not; null where that
 * is none of the root
 */
export function pathTo({ kind, said }: Destination, place: Place): string | null {
  if (kind === "foreign" || said === "") return null;
  if (kind === "wiki") return place.names?.pathOf(nameOfSaid(said)!) ?? null;
  const absolute = said.startsWith("/");
  return absolute && place.idAtAbsolute ? null : walk(absolute ? "" : parentOf(place.path), said);
}

/** @returns the path to which `said` leads from a folder; null outside of the root */
function walk(folder: string, said: string): string | null {
  const names = folder === "" ? [] : folder.split("/");
  for (const part of said.split("/")) {
    const name = decodePercent(part);
    if (name.includes("/")) return null;
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}

/** Percent signs that do not encode UTF-8 stay as they are. */
function decodePercent(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/**
 * The shortest relative destination that leads to an id; a folder's ends with a slash.
 * @returns null where the id has no path, or where no destination would lead there
 */
export function spell(id: string, place: Place, angle: boolean): string | null {
  const path = place.pathOf(id);
  if (path === null) return null;
  const written = writeDestination(relativePath(parentOf(place.path), path, isDirId(id)), angle);
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
