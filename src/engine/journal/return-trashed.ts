import { fileInodeKey } from "../../planner/match/inode.ts";
import type { Link } from "../../model/link.ts";
import type { BaseTree, LocalTree } from "../../model/tree.ts";
import { returnAside } from "../apply/late-write.ts";
import { recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * After a power cut, which may take the last rows of the state and not the renames of the disk: a
 * document that the mirror itself took to the trash, and of which base does not know that. It is
 * not what its user deleted. Its inode is in the trash, where nobody else puts one: it goes back to
 * its path, and the look that follows decides anew.
 * @returns whether anything came back
 */
export function returnTrashed(ctx: PassContext, base: BaseTree, local: LocalTree): boolean {
  const { disk } = ctx.world;
  if (!local.inodesTrusted || local.unseen.has("")) return false;
  const lost = new Map<string, Link>();
  for (const link of base.links.values()) {
    const key = fileInodeKey(link.stamp);
    if (key !== null && link.standing === "linked" && !local.files.has(link.localPath)) lost.set(key, link);
  }
  if (lost.size === 0) return false;
  for (const file of local.files.values()) lost.delete(fileInodeKey(file.stamp) ?? "");
  if (lost.size === 0) return false;
  let returned = false;
  for (const { place, stamp } of disk.listTrashed()) {
    const link = lost.get(fileInodeKey(stamp) ?? "");
    if (link === undefined || disk.look(link.localPath).kind !== "absent") continue;
    const why = returnAside(ctx, place, link.localPath);
    returned ||= why === null;
    recordEvent(ctx.world, ctx.run, {
      kind: "recover",
      side: "local",
      id: link.id,
      path: link.localPath,
      detail: why ?? "back from the trash after a power cut",
      outcome: why === null ? "done" : "fault",
    });
  }
  return returned;
}
