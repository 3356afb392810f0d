import type { DocId } from "../../contract/ids.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import type { PassContext } from "../run/pass-context.ts";
import { recordEvent, trashPlace } from "../run/world.ts";
import { isZeroed } from "./cut-off.ts";

/**
 * Puts into the trash what a power loss has left beside the documents, where nothing else can be
 * done with it: no text is only there.
 * @returns whether there was any: then the folder must be walked again
 */
export function putAwayTorn(ctx: PassContext, base: BaseTree, local: LocalTree, remote: RemoteTree): boolean {
  const links = new Map(Array.from(base.links.values(), (link) => [link.localPath, link] as const));
  const unknown = [...local.files.values()].filter(({ path }) => !links.has(path));
  const seconds = unknown.filter((file) => isSecondName(file, links, local));
  const zeroed = ctx.settings.direction === "push-only" ? [] : unknown.filter(isPerhapsZeroed);
  const ended = [
    ...seconds.map((file) => putAway(ctx, null, file, "a move that a power loss cut off left a second name of a file")),
    ...putAwayZeroed(ctx, base, zeroed, remote),
  ];
  return ended.includes(true);
}

/**
 * Whether a file is a document's own under a name that nobody knows: the power went between the two
 * halves of its move, and took what was noted of that.
 */
function isSecondName({ stamp }: LocalFile, links: ReadonlyMap<LocalPath, Link>, { files }: LocalTree): boolean {
  if (stamp.nlink < 2) return false;
  return [...files.values()].some(
    (other) => other.stamp.ino === stamp.ino && other.stamp.dev === stamp.dev && links.has(other.path),
  );
}

const isPerhapsZeroed = ({ textFault }: LocalFile): boolean => textFault === "holds-nul";

/**
 * Files with zeros in place of their last sectors. No service takes those, and nothing can be
 * merged with them: where it has a document at such a path, the document comes again.
 */
function putAwayZeroed(ctx: PassContext, base: BaseTree, files: readonly LocalFile[], remote: RemoteTree): boolean[] {
  if (files.length === 0) return [];
  const unlinked = documentsAt(base, remote);
  return files.map((file) => {
    const id = unlinked.get(file.path);
    const read = id === undefined ? null : ctx.world.disk.read(file.path);
    if (id === undefined || read?.kind !== "done" || !isZeroed(read.value.text)) return false;
    return putAway(ctx, id, file, "torn by a power loss; put into the trash, as its document comes again");
  });
}

/** The documents that base does not know, by the paths at which they come here. */
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
