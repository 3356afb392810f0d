import { fileInodeKey } from "../../planner/match/inode.ts";
import type { Link } from "../../model/link.ts";
import type { BaseTree, LocalTree } from "../../model/tree.ts";
import { returnAside } from "../apply/set-aside.ts";
import { recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * A power cut may take the last rows of the state, but not the renames on the disk: then a document
 * lies in the trash and base does not know that the mirror put it there. Its user did not delete
 * it. Only the mirror puts files there, so it is recognised by its inode and goes back to its path;
 * the next look decides anew.
 * @returns whether any file came back
 */
export function returnTrashed(ctx: PassContext, base: BaseTree, local: LocalTree): boolean {
  const lost = lostLinks(base, local);
  if (lost.size === 0) return false;
  let returned = false;
  for (const { place, stamp } of ctx.world.disk.listTrashed()) {
    const link = lost.get(fileInodeKey(stamp) ?? "");
    if (link === undefined || ctx.world.disk.look(link.localPath).kind !== "absent") continue;
    const isBack = returnOne(ctx, place, link);
    returned ||= isBack;
  }
  return returned;
}

/** Linked documents whose file is nowhere in the folder, by inode. */
function lostLinks(base: BaseTree, local: LocalTree): ReadonlyMap<string, Link> {
  const lost = new Map<string, Link>();
  if (!local.inodesTrusted || local.unseen.has("")) return lost;
  for (const link of base.links.values()) {
    const key = fileInodeKey(link.stamp);
    if (key !== null && link.standing === "linked" && !local.files.has(link.localPath)) lost.set(key, link);
  }
  // Nearly always there is none, which saves looking through all files.
  if (lost.size > 0) for (const file of local.files.values()) lost.delete(fileInodeKey(file.stamp) ?? "");
  return lost;
}

function returnOne(ctx: PassContext, place: string, { id, localPath: path }: Link): boolean {
  const why = returnAside(ctx, place, path);
  recordEvent(ctx.world, ctx.run, {
    kind: "recover",
    side: "local",
    id,
    path,
    detail: why ?? "restored from the trash after a power loss",
    outcome: why === null ? "done" : "fault",
  });
  return why === null;
}
