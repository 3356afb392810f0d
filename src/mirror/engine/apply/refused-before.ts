/**
 * Remembers requests that the service has refused. A block knows only the last request and the path
 * of its file. Without this memory, mdmirror would repeat a refused request after content, path or
 * name was changed and changed back (I08).
 */

import type { Outcome } from "../../model/action.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Block } from "../../model/record.ts";
import { nameOf, type RemotePath } from "../../../contract/path.ts";
import type { ParentRef } from "../../ports/remote.ts";
import type { CycleContext, RefusedWrite } from "../run/cycle-context.ts";

/** LIMIT: requests that are remembered. Beyond it, the oldest request may be sent once more. */
const MAX_REFUSALS = 1_000;

/**
 * A request to the service, as remembered after a refusal. `facts`: everything in which two
 * requests can differ, as one string; equal strings are the same request. `item`: the document or
 * folder to block if the same request was refused before, and its path.
 */
export type Request = { readonly facts: string; readonly item: Pick<Block, "key" | "path"> };

export function earlierRefusal({ notes }: CycleContext, { facts, item }: Request): Outcome | null {
  const before = notes.tally.refused.get(facts);
  return before === undefined ? null : { ...before, block: { ...before.block, ...item } };
}

export function rememberRefusal({ notes }: CycleContext, { facts }: Request, outcome: Outcome): Outcome {
  const { refused } = notes.tally;
  if (concernsRequest(outcome)) refused.set(facts, outcome);
  const [oldest] = refused.keys();
  if (refused.size > MAX_REFUSALS) refused.delete(oldest!);
  return outcome;
}

/**
 * Returns true if the service refused the request itself, so that a retry is useless. Any other
 * refusal concerns a path, which may become free.
 */
function concernsRequest(outcome: Outcome): outcome is RefusedWrite {
  if (outcome.kind !== "refused" || outcome.block === null) return false;
  return outcome.block.reason === "refused" || outcome.block.reason === "read-only";
}

/**
 * Returns all facts of a move's request as one string, with the whole target path. A rename names
 * no folder, and a move into a folder may name no file. So the same request has another target if
 * the document is elsewhere.
 */
export function moveRequest(
  { id, to }: { readonly id: DocId | DirId; readonly to: RemotePath },
  parent: ParentRef | null,
): string {
  if (parent === null) return `${id} to ${to}`;
  return `${id} into ${parent.kind === "root" ? "" : parent.id} as ${nameOf(to)}`;
}
