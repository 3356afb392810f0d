import type { DocId } from "../../../contract/ids.ts";
import { linksByPath } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import { inodeKey } from "../../planner/match/inode.ts";
import type { PassContext } from "../run/pass-context.ts";
import { recordEvent, trashPlace } from "../run/world.ts";
import { isZeroed } from "../apply/cut-off.ts";

/**
 * Moves damaged files that a power loss left beside the documents to the trash, if nothing else can
 * be done with them: none of them has a text that exists nowhere else.
 * @returns whether there were any: then the folder must be scanned again
 */
export function putAwayTorn(ctx: PassContext, base: BaseTree, local: LocalTree, remote: RemoteTree): boolean {
  const links = linksByPath(base.links.values());
  const files = [...local.files.values()];
  // The power may have taken all records: then a file at a document's path is that document's own.
  const unlinked = documentsAt(base, remote);
  const isKnown = ({ path }: LocalFile) => links.has(path) || unlinked.has(path);
  const unknown = files.filter(({ path }) => !links.has(path));
  // A document's own file under an unknown name: the power failed between the two halves of its
  // move, and the record of the move was lost.
  const known = new Set(files.filter(isKnown).map(({ stamp }) => inodeKey(stamp)));
  const seconds = files.filter((file) => file.stamp.nlink > 1 && !isKnown(file) && known.has(inodeKey(file.stamp)));
  const zeroed = ctx.settings.direction === "push-only" ? [] : unknown.filter(isPerhapsZeroed);
  const ended = [
    ...seconds.map((file) => putAway(ctx, null, file, "a power loss during a move left a second name of a file")),
    ...putAwayZeroed(ctx, zeroed, unlinked),
  ];
  return ended.includes(true);
}

const isPerhapsZeroed = ({ textFault }: LocalFile): boolean => textFault === "contains-nul";

/**
 * Files with zeros in place of their last sectors. No service accepts those, and nothing can be
 * merged with them. If a document has the path, it is downloaded again.
 */
function putAwayZeroed(
  ctx: PassContext,
  files: readonly LocalFile[],
  unlinked: ReadonlyMap<LocalPath, DocId>,
): boolean[] {
  return files.map((file) => {
    const id = unlinked.get(file.path);
    const read = id === undefined ? null : ctx.world.disk.read(file.path);
    if (id === undefined || read?.kind !== "done" || !isZeroed(read.value.text)) return false;
    return putAway(
      ctx,
      id,
      file,
      "damaged by a power loss; moved to the trash, because its document is downloaded again",
    );
  });
}

/** Returns the documents that base does not know, by their local paths. */
function documentsAt({ links }: BaseTree, { files }: RemoteTree): ReadonlyMap<LocalPath, DocId> {
  const unlinked = [...files.values()].filter(({ id }) => !links.has(id));
  return new Map(unlinked.map(({ id, path }) => [path as string as LocalPath, id]));
}

function putAway(ctx: PassContext, id: DocId | null, { path, digest }: LocalFile, why: string): boolean {
  const end = ctx.world.disk.trash(path, digest, trashPlace(ctx.world, path));
  const isAway = end.kind === "done";
  recordEvent(ctx.world, ctx.run, {
    kind: "recover",
    side: "local",
    id,
    path,
    detail: isAway ? why : end.detail,
    outcome: isAway ? "done" : "fault",
  });
  return isAway;
}
