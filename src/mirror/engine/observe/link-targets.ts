import type { DocId } from "../../../contract/ids.ts";
import { digestOf } from "../../../contract/digest.ts";
import type { RemoteFile, Trees } from "../../model/tree.ts";
import type { OnText } from "../../ports/disk.ts";
import { isNotFound } from "../apply/effect.ts";
import type { PassContext } from "../run/pass-context.ts";
import { fromService } from "../run/world.ts";

/** LIMIT: documents that are asked for in a pass; of more, nothing is known. */
const MOST = 16;

/**
 * Asks for documents that links lead to, that were to be created here and were not, and that the
 * list does not show. Base does not know them, so nothing else proves their absence, and lists miss
 * items: links to them would become links to nothing.
 * @param keep takes the texts that are read
 * @returns the trees with those that are on the service after all, in the mirrored part or outside
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
    // It may be edited there before it is read again (I03).
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

/** @returns null: it is outside of the mirrored part */
function fileOf({ world }: PassContext, id: DocId, shown: Shown): RemoteFile | null {
  const path = fromService(world, shown.path);
  return path === null ? null : { id, path, changeId: shown.lastChangeId, protected: shown.protected };
}
