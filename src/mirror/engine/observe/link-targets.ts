import type { DocId } from "../../../contract/ids.ts";
import { digestOf } from "../../../contract/digest.ts";
import type { RemoteFile, Trees } from "../../model/tree.ts";
import type { OnText } from "../../ports/disk.ts";
import { isNotFound } from "../apply/effect.ts";
import type { PassContext } from "../run/pass-context.ts";
import { fromService } from "../run/world.ts";

/** LIMIT: documents that are asked for in a cycle; of the others nothing is known. */
const MOST = 16;

/**
 * Asks for documents that links lead to but the listing does not show. Base does not know them,
 * because they were to be created locally and were not. Nothing else proves their absence, and
 * listings can miss documents; without an answer, the links would be changed to lead nowhere.
 * @param keep takes the texts that are read
 * @returns the trees with the documents that are on the service, in the linked subtree or outside
 */
export async function seekTargets(ctx: PassContext, trees: Trees, keep: OnText): Promise<Trees> {
  const { links, remote } = ctx.world;
  const sought = links?.unknownTargets(trees) ?? [];
  if (sought.length === 0) return trees;
  const files = new Map(trees.remote.files);
  const unsure = new Set<DocId>(sought.slice(MOST));
  const outside = new Set(trees.remote.outside);
  const seek = async (id: DocId): Promise<void> => {
    const answer = await remote.getFile(id);
    const found = answer.ok ? fileOf(ctx, id, answer.value) : null;
    // It may be edited on the service before it is read again (I03).
    if (answer.ok && answer.value.content.isWellFormed())
      keep(digestOf(answer.value.content), answer.value.content, found?.path ?? answer.value.path);
    if (found !== null) files.set(id, found);
    else if (answer.ok) outside.add(id);
    else if (!isNotFound(answer)) unsure.add(id);
  };
  await Promise.all(sought.slice(0, MOST).map(seek));
  links?.noteOutside(outside);
  return { ...trees, remote: { ...trees.remote, files, outside, unsure } };
}

type Shown = { readonly path: string; readonly lastChangeId: RemoteFile["changeId"]; readonly protected: boolean };

/** @returns null if the document is outside the linked subtree */
function fileOf({ world }: PassContext, id: DocId, shown: Shown): RemoteFile | null {
  const path = fromService(world, shown.path);
  return path === null ? null : { id, path, changeId: shown.lastChangeId, protected: shown.protected };
}
