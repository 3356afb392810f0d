import type { DocId } from "../../contract/ids.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import type { PassContext } from "../run/pass-context.ts";
import { recordEvent, trashPlace } from "../run/world.ts";
import { isZeroed } from "./cut-off.ts";

/**
 * A power loss in a clone leaves files that base does not know, some of them with zeros in place of
 * their last sectors. No service takes those, and nothing can be merged with them: where it has a
 * document at such a path, the file goes to the trash, and the document comes again.
 * @returns whether there were any: then the folder must be walked again
 */
export function putAwayTorn(ctx: PassContext, base: BaseTree, local: LocalTree, remote: RemoteTree): boolean {
  if (ctx.settings.direction === "push-only") return false;
  const torn = [...local.files.values()].filter(({ textFault }) => textFault === "holds-nul");
  if (torn.length === 0) return false;
  const linked = new Set(Array.from(base.links.values(), ({ localPath }) => localPath));
  const unlinked = documentsAt(base, remote);
  let isAny = false;
  for (const file of torn) {
    const id = unlinked.get(file.path);
    if (id !== undefined && !linked.has(file.path) && putAway(ctx, id, file)) isAny = true;
  }
  return isAny;
}

/** The documents that base does not know, by the paths at which they come here. */
function documentsAt({ links }: BaseTree, { files }: RemoteTree): ReadonlyMap<LocalPath, DocId> {
  const unlinked = [...files.values()].filter(({ id }) => !links.has(id));
  return new Map(unlinked.map(({ id, path }) => [path as string as LocalPath, id]));
}

function putAway(ctx: PassContext, id: DocId, { path, digest }: LocalFile): boolean {
  const { disk } = ctx.world;
  const read = disk.read(path);
  if (read.kind !== "done" || !isZeroed(read.value.text)) return false;
  const end = disk.trash(path, digest, trashPlace(ctx.world, path));
  const isAway = end.kind === "done";
  recordEvent(ctx.world, ctx.run, {
    kind: "recover",
    side: "local",
    id,
    path,
    detail: isAway ? "torn by a power loss; put into the trash, as its document comes again" : end.detail,
    outcome: isAway ? "done" : "fault",
  });
  return isAway;
}
