/** Renames local files and folders as the service would: `My notes.md` becomes `My-notes.md`. */

import { mapName, type NameKind, findNameFaults } from "../../../contract/names.ts";
import { joinPath, type LocalPath, nameOf, parentOf, pathKey, depthOf } from "../../../contract/path.ts";
import type { BaseTree, LocalTree } from "../../model/tree.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { compareByPath } from "../../model/by-path.ts";

/** `left`: reason why the file or folder keeps its name, as a clause; null if it is renamed. */
type NameFix = {
  readonly kind: NameKind;
  readonly from: LocalPath;
  readonly to: LocalPath;
  readonly left: string | null;
};

/**
 * Renames the deepest paths first, so that all other paths stay valid.
 * @param mayRename false to return the new names without renaming anything
 */
export function fixNames(mirror: OpenedMirror, mayRename: boolean): NameFix[] {
  const { disk, state, remote } = mirror.world;
  const localTree = disk.walk();
  const fixes = planFixes(localTree, state.load(), remote.traits().refusedCharacters);
  if (!mayRename) return fixes;
  return fixes.map((fix): NameFix => {
    if (fix.left !== null) return fix;
    const moveResult = fix.kind === "file" ? disk.move(fix.from, fix.to, null) : disk.moveFolder(fix.from, fix.to);
    return moveResult.kind === "done" ? fix : { ...fix, left: moveResult.detail };
  });
}

function planFixes(local: LocalTree, base: BaseTree, refused: string): NameFix[] {
  const takenPaths = new Set(
    [...local.files.keys(), ...local.folders.keys(), ...local.others.keys()].map((path) => pathKey(path, local.disk)),
  );
  const remoteNames = new Map<LocalPath, string>();
  for (const { localPath, remotePath } of [...base.records.values(), ...base.dirs.values()])
    remoteNames.set(localPath, nameOf(remotePath));
  const illegalEntries = [
    ...[...local.files.keys()].map((path) => ({ kind: "file", path }) as const),
    ...[...local.folders.keys()].map((path) => ({ kind: "folder", path }) as const),
  ].toSorted((a, b) => depthOf(b.path) - depthOf(a.path) || compareByPath(a, b));
  return illegalEntries.flatMap(({ kind, path }): NameFix[] => {
    if (findNameFaults(nameOf(path), kind, refused).length === 0) return [];
    const name = remoteNames.get(path) ?? mapName(nameOf(path), kind, refused);
    const targetPath = name === null ? path : joinPath(parentOf(path), name);
    if (name === null)
      return [{ kind, from: path, to: targetPath, left: "no similar name is accepted; rename it yourself" }];
    if (targetPath === path) return [];
    const key = pathKey(targetPath, local.disk);
    const leftReason = takenPaths.has(key) ? "that name is taken; rename one of the two yourself" : null;
    takenPaths.add(key);
    return [{ kind, from: path, to: targetPath, left: leftReason }];
  });
}
