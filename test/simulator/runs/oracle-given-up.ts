import type { FolderRecord, DocumentRecord } from "../../../src/mirror/model/link.ts";
import { pathKey } from "../../../src/contract/path.ts";
import type { Actors } from "./actors.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { isBelow, parentIn } from "./names.ts";

/**
 * Ids of documents and folders that the service had refused before a run or in it, and the folders
 * of base.
 */
export type Stopped = { readonly ids: ReadonlySet<string>; readonly dirs: readonly FolderRecord[] };

/**
 * Returns true if a local move is rightly given up: the service refused it, or that of a folder
 * above, or the direction never sends it; and the new path is taken. Another document or folder on
 * the service has that path, or the path of a folder above, and keeps it.
 * @param place path of the document after its move
 */
export function isGivenUp(
  { simulatedWorld }: Actors,
  { setup, direction }: SimulatedMirror,
  { ids, dirs }: Stopped,
  link: DocumentRecord,
  place: string,
): boolean {
  const left = dirs.filter(({ localPath }) => isBelow(link.localPath, localPath));
  if (direction !== "pull" && ![link, ...left].some(({ id }) => ids.has(id))) return false;
  const { foldsCase = false, foldsUnicode = false } = setup.disk;
  const keyOf = (path: string): string => pathKey(path, { foldsCase, foldsUnicode });
  const whole = (path: string): string => (setup.prefix === "" ? path : `${setup.prefix}/${path}`);
  const known = new Set(dirs.map(({ id, localPath }) => `${id} ${keyOf(whole(localPath))}`));
  const others = simulatedWorld.whileOpen(() => [
    ...simulatedWorld.files().flatMap(({ id, path }) => (id === link.id ? [] : [path])),
    ...simulatedWorld.folders().filter((path) => !known.has(`${simulatedWorld.folderId(path)} ${keyOf(path)}`)),
  ]);
  const taken = new Set(others.map(keyOf));
  for (let path = place; path !== ""; path = parentIn(path)) if (taken.has(keyOf(whole(path)))) return true;
  return false;
}
