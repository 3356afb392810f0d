import { folderInodeKey } from "../../planner/match/inode.ts";
import type { DirLink } from "../../model/link.ts";
import { once } from "../../../common/once.ts";
import { type LocalPath, parentOf, rebase } from "../../../contract/path.ts";
import type { LocalTree } from "../../model/tree.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { observeLocal } from "../observe/observe.ts";
import { storeLocalContents } from "./text-name.ts";
import type { PassContext } from "../run/pass-context.ts";

/** @returns the present path of a file that was taken from `path`; null if that cannot be told */
export type CurrentPath = (path: LocalPath) => LocalPath | null;

/**
 * For recovery, before there is a plan: base has the folder at its old path, but somebody may have
 * moved it since the process ended. A scan finds it by its inode, and is made only if such a folder
 * is missing. A folder that is nowhere was deleted, and is created again with the file that is
 * restored.
 */
export function currentPathOf(ctx: PassContext): CurrentPath {
  const { disk, state } = ctx.world;
  const seen = once(() => lookForFolders(ctx));
  return (path) => {
    const parent = parentOf(path);
    if (parent === "" || disk.look(parent).kind !== "absent") return path;
    const { places, whole } = seen();
    for (let above = parent; above !== ""; above = parentOf(above)) {
      const now = placeOf(state.dirAt(above), places);
      if (now !== undefined) return rebase(path, above, now);
    }
    return whole ? path : null;
  };
}

function placeOf(dir: DirLink | null, places: ReadonlyMap<string, LocalPath>): LocalPath | undefined {
  const key = dir === null ? null : folderInodeKey(dir);
  return key === null ? undefined : places.get(key);
}

/**
 * Returns where each folder is, by inode; none if inodes are not reliable. `whole`: whether the
 * scan could read everything.
 */
function lookForFolders({ world }: PassContext): {
  readonly places: ReadonlyMap<string, LocalPath>;
  readonly whole: boolean;
} {
  const { inodesTrusted } = checkRoot(world);
  const base = world.state.load();
  const tree: LocalTree = observeLocal(world, base, inodesTrusted, storeLocalContents(world.state, base));
  const places = new Map<string, LocalPath>();
  for (const folder of inodesTrusted ? tree.folders.values() : []) {
    const key = folderInodeKey(folder);
    if (key !== null) places.set(key, folder.path);
  }
  return { places, whole: tree.unseen.size === 0 };
}
