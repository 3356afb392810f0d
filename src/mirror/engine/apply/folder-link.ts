import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderResource } from "../../../contract/resources.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { DirLink } from "../../model/link.ts";
import { isWithin, type LocalPath, type RemotePath, rebase } from "../../../contract/path.ts";
import { movePlace } from "../../model/settle.ts";
import type { EventFields } from "../../ports/state.ts";
import { writeChange } from "./commit.ts";
import { DONE, stale } from "./effect.ts";
import type { PassContext } from "../run/pass-context.ts";
import { toService } from "../run/world.ts";
import type { EffectResult } from "./run-effect.ts";
import { outcomeOfFailedRead } from "./unsettled.ts";

/** Records folders in base, and the paths below them. */

/**
 * Looks for a folder on the service by its path.
 * @returns null if there is none; or the reason why the answer is not known, which leaves a row
 * open
 */
export async function findFolder(
  { world }: PassContext,
  path: RemotePath,
): Promise<
  { readonly kind: "found"; readonly folder: FolderResource | null } | (EffectResult<never> & { kind: "open" })
> {
  const found = await world.remote.findFolder(toService(world, path));
  if (!found.ok) return { kind: "open", outcome: outcomeOfFailedRead(found.fault) };
  return { kind: "found", folder: found.value };
}

export function linkFolder(
  ctx: PassContext,
  dirId: DirId,
  localPath: LocalPath,
  remotePath: RemotePath,
): DirLink | null {
  const look = ctx.world.disk.look(localPath);
  if (look.kind !== "folder") return null;
  ctx.notes.folderIds.set(remotePath, dirId);
  return { id: dirId, localPath, remotePath, dev: look.dev, ino: look.ino, birthMs: look.birthMs };
}

/**
 * Records the place of a folder that both sides have, and the paths below it: whoever moved the
 * folder, its documents stayed inside.
 */
export async function recordFolder(
  ctx: PassContext,
  { dirId, localPath, remotePath, carries }: Omit<ActionOf<"link-folder">, "kind" | "why">,
  event?: EventFields,
): Promise<Outcome> {
  const link = linkFolder(ctx, dirId, localPath, remotePath);
  if (link === null) return stale("the folder was removed meanwhile");
  // Folders of one depth are recorded in one transaction; steps that put something into them wait.
  await ctx.group.commit(() => {
    const before = ctx.world.state.dir(dirId);
    if (before !== null && carries === null) carryAll(ctx, before, link);
    for (const id of before === null ? [] : (carries ?? [])) carryOne(ctx, id, before!, link);
    writeChange(ctx, { dir: link, ...(event === undefined ? {} : { event }) });
  }, "soon");
  return DONE;
}

function carryAll({ world: { state } }: PassContext, from: DirLink, to: DirLink): void {
  if (from.localPath !== to.localPath) state.moveMembers("local", from.localPath, to.localPath, from.remotePath);
  if (from.remotePath !== to.remotePath) state.moveMembers("remote", from.remotePath, to.remotePath, to.localPath);
}

/** Records the new path of a document and of its conflict copy. */
function carryOne({ world: { state } }: PassContext, id: DocId, from: DirLink, to: DirLink): void {
  const [link, conflict] = [state.link(id), state.conflict(id)];
  if (link !== null) {
    const localPath = carried(link.localPath, from.localPath, to.localPath);
    state.putLink(movePlace(link, { localPath, remotePath: carried(link.remotePath, from.remotePath, to.remotePath) }));
  }
  if (conflict !== null) {
    const newestCopyPath = carried(conflict.newestCopyPath, from.localPath, to.localPath);
    state.putConflict({ ...conflict, newestCopyPath });
  }
}

function carried(path: string, from: string, to: string): string {
  return isWithin(path, from) ? rebase(path, from, to) : path;
}
