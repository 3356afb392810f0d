/**
 * Remembers requests that the service refused. A block stores only the last refused request.
 * Without this memory, mdmirror would repeat a request if a user changed a document's content, path
 * or name and then changed it back (I08).
 */

import type { Outcome } from "../../model/action.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Block } from "../../model/record.ts";
import { nameOf, type RemotePath } from "../../../contract/path.ts";
import type { ParentRef } from "../../ports/remote.ts";
import type { CycleContext, RefusedWrite } from "../run/cycle-context.ts";

/**
 * LIMIT: number of remembered requests, to bound memory. Beyond it, the oldest request is forgotten
 * and may be sent again.
 */
const MAX_REFUSALS = 1_000;

/**
 * A request to the service, remembered after a refusal. Two requests are the same if their `facts`
 * are equal. `item` is the document or folder that is blocked if the request was refused before.
 */
export type WriteRequest = { readonly facts: string; readonly item: Pick<Block, "key" | "path"> };

export function findEarlierRefusal({ notes }: CycleContext, { facts, item }: WriteRequest): Outcome | null {
  const refusal = notes.tally.refused.get(facts);
  return refusal === undefined ? null : { ...refusal, block: { ...refusal.block, ...item } };
}

export function rememberRefusal({ notes }: CycleContext, { facts }: WriteRequest, outcome: Outcome): Outcome {
  const { refused } = notes.tally;
  if (concernsRequest(outcome)) refused.set(facts, outcome);
  const [oldest] = refused.keys();
  if (refused.size > MAX_REFUSALS) refused.delete(oldest!);
  return outcome;
}

/**
 * Returns true if the service refused the request itself. A refusal because of a path does not
 * count: the path may become free.
 */
function concernsRequest(outcome: Outcome): outcome is RefusedWrite {
  if (outcome.kind !== "refused" || outcome.block === null) return false;
  return outcome.block.reason === "refused" || outcome.block.reason === "read-only";
}

/**
 * Returns the text that identifies a move among refused requests. The text contains the whole
 * target path, although a rename sends only a name, and a move only a folder: the result of such a
 * request also depends on the document's present path.
 */
export function identifyMove(
  { id, to }: { readonly id: DocId | DirId; readonly to: RemotePath },
  parent: ParentRef | null,
): string {
  if (parent === null) return `${id} to ${to}`;
  return `${id} into ${parent.kind === "root" ? "" : parent.id} as ${nameOf(to)}`;
}
