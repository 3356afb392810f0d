import type { DirId, DocId } from "../../contract/ids.ts";
import { depthOf, isWithin, type LocalPath, rebase } from "../../model/path.ts";
import { isAway } from "../../model/link.ts";
import type { BaseTree } from "../../model/tree.ts";

/**
 * Where documents and folders stand on disk: by base; and of what was moved here and is held, since
 * the service does not take the move, where its hold says that it is. Links to it lead there.
 */
export function* standingPlaces(base: BaseTree): Generator<readonly [DocId | DirId, LocalPath]> {
  const moved = movedFolders(base);
  for (const { id, localPath } of base.dirs.values()) yield [id, standsAt(base, moved, id, localPath)];
  for (const link of base.links.values())
    if (!isAway(link)) yield [link.id, standsAt(base, moved, link.id, link.localPath)];
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
