import { type PassContext, toService } from "../world.ts";

/**
 * Whether what a path is said to be taken by (409 `path_already_exists`) shows itself to this key. If not, no later look will: the write is held, not sent
 * again. So is it where the question fails: a 4xx is not sent again unread (I08), and what is there after all shows in the next listing.
 */
export async function isVisible(ctx: PassContext, path: string): Promise<boolean> {
  const { remote } = ctx.world;
  const files = await remote.listFiles({ kind: "path", path: toService(ctx.world, path) });
  if (files.items.length > 0) return true;
  // A deployment may refuse to look for a folder at a file's path, and for a file at a folder's; then nothing is known to be there.
  const folder = await remote.findFolder(toService(ctx.world, path));
  return folder.ok && folder.value !== null;
}
