import type { DirLink, Link } from "../../../src/mirror/model/link.ts";
import { pathKey } from "../../../src/contract/path.ts";
import type { Actors } from "./actors.ts";
import type { LifeMirror } from "./mirror.ts";
import { isBelow, parentIn } from "./names.ts";

/** What the service had refused before a run or in it, by id, and the folders of base. */
export type Stopped = { readonly ids: ReadonlySet<string>; readonly dirs: readonly DirLink[] };

/**
 * Whether a move here is given up, and rightly: the service refused it, or that of a folder above,
 * and the name that it gave is another's there by now. Two documents cannot stand at one path, and
 * the one that the service has there keeps it.
 * @param place where the document stood after its move
 */
export function isGivenUp(
  { lifeWorld }: Actors,
  { setup }: LifeMirror,
  { ids, dirs }: Stopped,
  link: Link,
  place: string,
): boolean {
  const left = dirs.filter(({ localPath }) => isBelow(link.localPath, localPath));
  if (![link, ...left].some(({ id }) => ids.has(id))) return false;
  const { foldsCase = false, foldsUnicode = false } = setup.disk;
  const keyOf = (path: string): string => pathKey(path, { foldsCase, foldsUnicode });
  const whole = (path: string): string => (setup.prefix === "" ? path : `${setup.prefix}/${path}`);
  const known = new Set(dirs.map(({ id, localPath }) => `${id} ${keyOf(whole(localPath))}`));
  const others = lifeWorld.whileOpen(() => [
    ...lifeWorld.files().flatMap(({ id, path }) => (id === link.id ? [] : [path])),
    ...lifeWorld.folders().filter((path) => !known.has(`${lifeWorld.folderId(path)} ${keyOf(path)}`)),
  ]);
  const taken = new Set(others.map(keyOf));
  for (let path = place; path !== ""; path = parentIn(path)) if (taken.has(keyOf(whole(path)))) return true;
  return false;
}
