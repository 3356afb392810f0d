import type { DirId, DocId } from "../../contract/ids.ts";
import { depthOf, isWithin, type LocalPath, rebase } from "../../model/path.ts";
import { isAway } from "../../model/link.ts";
import type { BaseTree } from "../../model/tree.ts";

/**
 * Returns where documents and folders are locally: where base has them, or, if the service refuses
 * a local move, where its hold has them. A file that got a name which is not mirrored has no place,
 * because another document may have its path.
 */
export function* standingPlaces(base: BaseTree): Generator<readonly [DocId | DirId, LocalPath]> {
  const moved = movedFolders(base);
  for (const { id, localPath } of base.dirs.values()) yield [id, standsAt(base, moved, id, localPath)];
  for (const link of base.links.values())
    if (!isAway(link) && base.holds.get(link.id)?.reason !== "renamed-out-of-mirror")
      yield [link.id, standsAt(base, moved, link.id, link.localPath)];
}

type Moved = { readonly from: LocalPath; readonly to: LocalPath };

/** Folders that stand elsewhere than base has them, the deepest first. */
function movedFolders({ dirs, holds }: BaseTree): readonly Moved[] {
  const moved: Moved[] = [];
  for (const { key, path } of holds.values()) {
    const dir = dirs.get(key as DirId);
    if (dir !== undefined && dir.localPath !== path) moved.push({ from: dir.localPath, to: path });
  }
  return moved.sort((a, b) => depthOf(b.from) - depthOf(a.from));
}

function standsAt({ holds }: BaseTree, moved: readonly Moved[], id: DocId | DirId, localPath: LocalPath): LocalPath {
  const held = holds.size === 0 ? undefined : holds.get(id);
  if (held !== undefined && held.path !== localPath) return held.path;
  const above = moved.find(({ from }) => isWithin(localPath, from));
  return above === undefined ? localPath : rebase(localPath, above.from, above.to);
}
