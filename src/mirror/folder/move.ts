import { existsSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { removeOwnFile } from "../state/own-files.ts";
import { checkRegistryWritable, keepMirror, readRootMarker } from "../trust/gate.ts";
import { type Environment, findByMarker, locateRegistry } from "../trust/registry.ts";
import { findMirrorAbove } from "../trust/owner.ts";
import { errnoClause, ok, readErrorCode, refusal, type Result } from "../../common/trouble.ts";

/**
 * Checks whether a rename can move a linked folder to another path. Returns trouble if a rename
 * cannot.
 * @param to absolute path at which nothing may exist
 */
export function checkMove(root: string, to: string, env: Environment): Result<null> {
  const nextStep = "name a new folder inside an existing one";
  if (existsSync(to)) return refusal(`${to} already exists`, nextStep);
  const parentStat = statSync(dirname(to), { throwIfNoEntry: false });
  if (parentStat?.isDirectory() !== true) return refusal(`${dirname(to)} is not a folder`, nextStep);
  if (basename(to) === MIRROR_FOLDER) return refusal(`${to} is a name that mdmirror uses itself`, nextStep);
  if (to.startsWith(`${root}/`)) return refusal(`${to} is inside ${root}`, nextStep);
  const outerMirror = findMirrorAbove(to, env);
  if (outerMirror !== null)
    return refusal(`${to} is inside the linked folder ${outerMirror}; its files would be synced twice`, nextStep);
  return parentStat.dev === statSync(root).dev
    ? checkRegistryWritable(env, "nothing was moved")
    : refuseOtherDisk(root, to);
}

function refuseOtherDisk(root: string, to: string): Result<never> {
  return refusal(
    `${to} is on another disk than ${root}, and a copy of a linked folder needs approval; nothing was moved`,
    `move it yourself while no daemon syncs it: mv ${quoteForShell(root)} ${quoteForShell(to)} && mdmirror approve ${quoteForShell(to)}`,
    "EXDEV",
  );
}

/**
 * Moves a linked folder. The caller has the folder's lock, and keeps nothing in the folder open.
 * ORDER: the folder first, then the registry. After a kill in between, the next command in the
 * folder updates the registry.
 * @returns a clause if the registry could not be updated, otherwise null
 */
export function moveFolder(root: string, to: string, env: Environment): Result<string | null> {
  try {
    renameSync(root, to);
  } catch (error) {
    if (readErrorCode(error) === "EXDEV") return refuseOtherDisk(root, to);
    return refusal(
      `${root} cannot be moved to ${to}: ${errnoClause(error)}`,
      "nothing was moved",
      readErrorCode(error),
    );
  }
  // The file is about a lock that was taken at the old path.
  removeOwnFile(join(to, MIRROR_FOLDER), "lock.json");
  const registry = locateRegistry(env);
  const marker = readRootMarker(to);
  const foundMirror = marker === null ? null : findByMarker(registry, marker);
  if (foundMirror?.kind !== "known") return ok(null);
  const roots = foundMirror.mirror.roots.map((other) => (other === root ? to : other));
  const keepResult = keepMirror(registry, { ...foundMirror.mirror, roots });
  return ok(keepResult.kind === "ok" ? null : keepResult.trouble.what);
}
