import type { ChangeId } from "../../../contract/ids.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { WrittenFile } from "../../ports/remote.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { readFacts } from "./effect.ts";
import { remoteContentName } from "./text-name.ts";

/** Uses the reads that the client makes if the answer to a write was incomplete. */

/**
 * Stores the content that was read because the answer to a write did not have it. Another user may
 * change the document before the next read (I03).
 * @returns digest of the content; null if nothing was read
 */
export function storeReadBack(ctx: CycleContext, { id, content }: WrittenFile, path: LocalPath): Digest | null {
  return content === undefined ? null : ctx.world.state.putText(content, remoteContentName(path, id));
}

/**
 * @returns current change id of base's content on the service; null if the service has other
 * content
 */
export async function idOfBaseText(
  ctx: CycleContext,
  link: DocumentRecord,
  written: WrittenFile,
): Promise<ChangeId | null> {
  const read = storeReadBack(ctx, written, link.localPath);
  if (written.lastChangeId === link.changeId) return link.changeId;
  if (read !== null) return read === link.digest ? written.lastChangeId : null;
  const answer = await readFacts(ctx, link.id, link.localPath);
  return answer.ok && digestOf(answer.value.content) === link.digest ? answer.value.lastChangeId : null;
}
