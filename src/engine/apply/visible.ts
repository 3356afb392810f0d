import { ended, type Got, got, outcomeOfFault, stale } from "../effect.ts";
import { type PassContext, toService } from "../world.ts";

/** Whether what a path is said to be taken by (409 `path_already_exists`) shows itself to this key. If not, no later look will: the write is held, not sent again. */
export async function isVisible(ctx: PassContext, path: string): Promise<Got<boolean>> {
  const { remote } = ctx.world;
  const files = await remote.listFiles({ kind: "path", path: toService(ctx.world, path) });
  // Asked for a file at a folder's path, a deployment may answer that it is of the other kind.
  if (!files.complete && files.fault?.kind !== "problem")
    return ended(files.fault === null ? stale("the path could not be listed") : outcomeOfFault(files.fault));
  if (files.items.length > 0) return got(true);
  const folder = await remote.findFolder(toService(ctx.world, path));
  // A deployment may refuse to look for a folder at a file's path; then nothing is known to be there.
  if (!folder.ok) return folder.fault.kind === "problem" ? got(false) : ended(outcomeOfFault(folder.fault));
  return got(folder.value !== null);
}
