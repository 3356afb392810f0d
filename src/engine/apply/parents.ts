import type { Outcome } from "../../core/action.ts";
import { ancestorsOf, type LocalPath } from "../../core/path.ts";
import { outcomeOfDisk } from "../effect.ts";
import type { PassContext } from "../world.ts";

/** Makes the folders above a path that are not there (a folder that no listing shows; a document that comes back after its folder was deleted). */
export function ensureFolders(ctx: PassContext, path: LocalPath): Outcome | null {
  for (const folder of ancestorsOf(path)) {
    if (ctx.world.disk.look(folder).kind !== "absent") continue;
    const made = ctx.world.disk.makeFolder(folder);
    if (made.kind !== "done") return outcomeOfDisk(made);
  }
  return null;
}
