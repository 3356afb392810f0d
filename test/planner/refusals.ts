import type { DirId } from "../../src/contract/ids.ts";
import type { Action } from "../../src/mirror/model/action.ts";
import type { World } from "./world.ts";

/** Steps that the real disk or service would refuse. */

export type OfFolder = Extract<Action, { dirId: DirId | null } | { kind: "make-folder-remote" }>;
export type OfDocument = Exclude<Action, OfFolder>;

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

export function isTakenLocally(world: World, path: string): boolean {
  return world.files.has(path) || world.folders.has(path) || world.others.has(path);
}

export function isTakenOnService(world: World, path: string): boolean {
  for (const document of world.documents.values()) if (document.path === path) return true;
  for (const dir of world.dirs.values()) if (dir === path) return true;
  return false;
}

export function hasRemoteFolder(world: World, path: string): boolean {
  return path === "" || [...world.dirs.values()].includes(path);
}
