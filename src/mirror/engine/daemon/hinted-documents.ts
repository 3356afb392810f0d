import type { Link } from "../../model/link.ts";
import type { RemotePath } from "../../../contract/path.ts";
import { remoteIsAsBase } from "../../model/agreement.ts";
import type { RemoteFile } from "../../model/tree.ts";
import { documentsOf } from "../observe/listed.ts";
import { fromService, toService, type World } from "../run/world.ts";
import type { FileHint } from "./remote-hints.ts";

/**
 * Asks for the documents that an event of the service named, each by its exact path: the answer is
 * small, whatever the size of the workspace. The event only says what to ask for, and is trusted
 * for nothing else.
 */

type HintedLook =
  /** Documents that differ from base, and how many requests showed no difference. */
  | { readonly kind: "shown"; readonly files: readonly RemoteFile[]; readonly inVain: number }
  /** Only a listing can tell: a document moved, is gone, or could not be read. */
  | { readonly kind: "whole" };

const WHOLE: HintedLook = { kind: "whole" };

export async function checkHintedDocuments(world: World, hints: readonly FileHint[]): Promise<HintedLook> {
  const asked: { readonly hint: FileHint; readonly path: RemotePath }[] = [];
  for (const hint of hints) {
    const link = world.state.link(hint.id);
    const path = pathToAsk(world, hint, link);
    if (path === "elsewhere") return WHOLE;
    if (path !== "known") asked.push({ hint, path });
  }
  const seen = await Promise.all(asked.map(({ hint, path }) => askAt(world, hint, path)));
  const files: RemoteFile[] = [];
  for (const file of seen) {
    if (file === null) return WHOLE;
    const link = world.state.link(file.id);
    if (link === null || !remoteIsAsBase(link, file)) files.push(file);
  }
  return { kind: "shown", files, inVain: seen.length - files.length };
}

/**
 * Returns the path to ask for, below the linked subtree. `known`: base has the version of the
 * event, or the document is outside the linked subtree; `elsewhere`: base has it at another path,
 * so that more than one document may have moved.
 */
function pathToAsk(world: World, hint: FileHint, link: Link | null): RemotePath | "known" | "elsewhere" {
  const { gone, changeId } = hint;
  const path = hint.path === null ? null : fromService(world, hint.path);
  const isOutside = hint.path !== null && (path === null || path === "");
  if (link === null) return gone || isOutside ? "known" : (path ?? "elsewhere");
  if (gone || isOutside || (path !== null && path !== link.remotePath)) return "elsewhere";
  return path !== null && changeId === link.changeId ? "known" : link.remotePath;
}

/** @returns null if another document or none is at this path, or no answer came */
async function askAt(world: World, { id }: FileHint, path: RemotePath): Promise<RemoteFile | null> {
  const listing = await world.remote.listFiles({ kind: "path", path: toService(world, path) });
  const file = listing.complete ? documentsOf(world, listing).get(id) : undefined;
  return file?.path === path ? file : null;
}
