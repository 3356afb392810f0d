import type { Outcome } from "../../model/action.ts";
import { folderInodeKey } from "../../planner/match/inode.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { outcomeOfDisk, stale } from "./effect.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Makes those folders above a path that are missing: no listing showed them, or they were deleted
 * before a document in them came back.
 */
export function ensureFolders(ctx: PassContext, path: LocalPath): Outcome | null {
  for (const folder of ancestorsOf(path)) {
    if (ctx.world.disk.look(folder).kind !== "absent") continue;
    if (wentMeanwhile(ctx, folder)) return stale("its folder was removed meanwhile");
    const made = ctx.world.disk.makeFolder(folder);
    if (made.kind !== "done") return outcomeOfDisk(made);
  }
  return null;
}

/**
 * RACE: a linked folder that was there when this pass looked, or that it made, was moved by
 * somebody since. If it were made again, base would take it for the moved one, and documents put
 * into it would look as if their user had moved them.
 */
function wentMeanwhile({ notes: { local, made }, world }: PassContext, path: LocalPath): boolean {
  const dir = world.state.dirAt(path);
  const key = dir === null ? null : folderInodeKey(dir);
  if (key === null) return false;
  const walked = local?.folders.get(path);
  return made.has(key) || (walked !== undefined && folderInodeKey(walked) === key);
}
