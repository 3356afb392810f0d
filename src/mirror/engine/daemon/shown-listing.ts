import type { DocId } from "../../../contract/ids.ts";
import type { FileResource } from "../../../contract/resources.ts";
import { agreesThere } from "../../model/agreement.ts";
import { parentOf } from "../../../contract/path.ts";
import { type BaseTree, isComplete, type RemoteFile, type RemoteTree } from "../../model/tree.ts";
import type { Listing } from "../../ports/remote.ts";
import { toService, type World } from "../run/world.ts";

/**
 * What the service would list if these documents alone had changed since everything was last seen.
 * @param before everything as it was last seen
 * @returns null where more must have changed: a folder is new, or a place is another document's
 */
export function listingWith(
  world: World,
  base: BaseTree,
  before: RemoteTree | null,
  shown: readonly RemoteFile[],
): Listing<FileResource> | null {
  if (before === null || !isComplete(before)) return null;
  const changed = new Map(shown.map((file) => [file.id, file]));
  const taken = new Set(shown.map(({ path }) => path));
  const folders = new Set(["", ...[...before.folders.values()].map(({ path }) => path)]);
  if (taken.size < changed.size || shown.some(({ path }) => !folders.has(parentOf(path)))) return null;
  const items = shown.map((file) => itemOf(world, file));
  const same = new Set<DocId>();
  for (const [id, file] of before.files) {
    if (changed.has(id)) continue;
    if (taken.has(file.path)) return null;
    const link = base.links.get(id);
    if (link !== undefined && agreesThere(link, file)) same.add(id);
    else items.push(itemOf(world, file));
  }
  return { items, same: { size: same.size, keys: () => same }, complete: true, fault: null };
}

function itemOf(world: World, { id, path, changeId, protected: isProtected }: RemoteFile): FileResource {
  return { id, path: toService(world, path), lastChangeId: changeId, protected: isProtected };
}
