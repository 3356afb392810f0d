import type { Outcome } from "../../model/action.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Hold } from "../../model/link.ts";
import { nameOf, type RemotePath } from "../../../contract/path.ts";
import type { ParentRef } from "../../ports/remote.ts";
import type { PassContext, Refused } from "../run/pass-context.ts";

/**
 * Remembers requests that the service has refused. A blocked change knows only the last one, and
 * the place of its file then. Otherwise a text that was another one meanwhile, a file that was
 * elsewhere, or a document that has another name in the folder that it may not enter, would be sent
 * again unchanged (I08).
 */

/** LIMIT: what was refused before this many others is sent once more. */
const MOST = 1_000;

/**
 * @param request everything that it asks for
 * @param at what is blocked now, and where
 */
export function refusedBefore({ notes }: PassContext, request: string, at: Pick<Hold, "key" | "path">): Outcome | null {
  const before = notes.tally.refused.get(request);
  return before === undefined ? null : { ...before, hold: { ...before.hold, ...at } };
}

export function noteRefused({ notes }: PassContext, request: string, outcome: Outcome): Outcome {
  const { refused } = notes.tally;
  if (isOfRequest(outcome)) refused.set(request, outcome);
  const [oldest] = refused.keys();
  if (refused.size > MOST) refused.delete(oldest!);
  return outcome;
}

/** Any other reason concerns a place, which may be free soon. */
function isOfRequest(outcome: Outcome): outcome is Refused {
  if (outcome.kind !== "refused" || outcome.hold === null) return false;
  return outcome.hold.reason === "refused" || outcome.hold.reason === "read-only";
}

/**
 * Returns everything that a move asks for. A rename names no folder, and a move into a folder no
 * name: from another place on the service the same request leads to another path.
 */
export function moveRequest(
  { id, to }: { readonly id: DocId | DirId; readonly to: RemotePath },
  parent: ParentRef | null,
): string {
  if (parent === null) return `${id} to ${to}`;
  return `${id} into ${parent.kind === "root" ? "" : parent.id} as ${nameOf(to)}`;
}
