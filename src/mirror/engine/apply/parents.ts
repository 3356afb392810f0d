import type { Outcome } from "../../model/action.ts";
import { folderInodeKey } from "../../planner/match/inode.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { outcomeOfDisk, stale } from "./effect.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Creates the missing folders above a path: no listing showed them, or they were deleted before a
 * document in them was restored.
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
 * RACE: somebody moved a linked folder that existed when this cycle looked, or that it created. If
 * it were created again, base would take it for the moved one, and documents put into it would look
 * moved by their user.
 */
function wentMeanwhile({ notes: { local, made }, world }: PassContext, path: LocalPath): boolean {
  const dir = world.state.dirAt(path);
  const key = dir === null ? null : folderInodeKey(dir);
  if (key === null) return false;
  const walked = local?.folders.get(path);
  return made.has(key) || (walked !== undefined && folderInodeKey(walked) === key);
}
