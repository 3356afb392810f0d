import type { ChangeId } from "../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { Answer, Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { fetchText, isNotFound, outcomeOfFault, type RemoteText, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { settleIntent } from "../journal/settle-writes.ts";
import { unsettled } from "./unsettled.ts";
import type { PassContext } from "../run/pass-context.ts";

/** How a deletion on the service ended. */
type DeleteEnd =
  | { readonly kind: "deleted" }
  /**
   * The document is not known to be gone: the DELETE was not sent, was refused, or was not settled
   * by a read. `live` is the document as it was read before a refusal.
   */
  | Staying;

type Staying = {
  readonly kind: "stays";
  readonly outcome: Outcome;
  readonly live: RemoteText | null;
  /** The intent stays open, for a read of the next pass to settle. Not set: it does not. */
  readonly isOpen?: true;
};

type Deletion = {
  /** Where its file is, or was, according to the plan. */
  readonly localPath: LocalPath;
  /** The version that may be deleted: any other was edited on the service meanwhile. */
  readonly changeId: ChangeId;
  /**
   * Whether the deletion is due to a file that is gone here: if the file is back, the document
   * stays.
   */
  readonly onlyWhileAbsent: boolean;
  readonly why: string;
};

/**
 * The only way in which a document is deleted on the service: read it again, look for its file
 * again, open an intent, DELETE, end its link. ORDER: the file is looked for after the read, so
 * that a file saved while the answer was under way is seen.
 */
export async function deleteProven(ctx: PassContext, link: Link, deletion: Deletion): Promise<DeleteEnd> {
  const { localPath, changeId, onlyWhileAbsent, why } = deletion;
  const { disk, remote, state } = ctx.world;
  const { id } = link;
  const fetched = await fetchText(ctx, id, localPath);
  if (fetched.kind === "end") return stays(fetched.outcome);
  if (fetched.value.file.lastChangeId !== changeId) return stays(stale("it was edited on the service meanwhile"));
  if (onlyWhileAbsent && disk.look(localPath).kind !== "absent") return stays(stale("something is at its path again"));
  const intent = { kind: "delete", id, localPath, changeId } as const satisfies Intent;
  // RACE: an edit on either side from here on is not seen; the contract has no conditional DELETE.
  // The text that was read is in the store.
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.deleteFile(id);
  const end = answer.ok ? null : await endOf(ctx, { link, deletion, intent, intentId, answer, live: fetched.value });
  if (end !== null) return end;
  ctx.notes.counts.deletedRemote++;
  commit(ctx, {
    closes: intentId,
    ends: { link, trashPath: null },
    event: {
      kind: "delete-remote",
      side: "remote",
      id,
      path: localPath,
      detail: why,
      before: link.digest,
      requestId: answer.ok ? answer.requestId : null,
    },
  });
  return { kind: "deleted" };
}

type Unanswered = {
  readonly link: Link;
  readonly deletion: Deletion;
  readonly intent: Extract<Intent, { kind: "delete" }>;
  readonly intentId: number;
  readonly answer: Extract<Answer<unknown>, { ok: false }>;
  readonly live: RemoteText;
};

/** Returns how a DELETE ended that was not answered with success; null: the document is gone. */
async function endOf(ctx: PassContext, unanswered: Unanswered): Promise<DeleteEnd | null> {
  const { link, deletion, intent, intentId, answer, live } = unanswered;
  const { fault } = answer;
  if (fault.kind === "uncertain") {
    const outcome = await settleIntent(ctx, intentId, intent, fault);
    return outcome.kind === "done" ? { kind: "deleted" } : stays(outcome);
  }
  const staying = isNotFound(answer) ? await lookAgain(ctx, link, deletion, fault) : stays(outcomeOfFault(fault), live);
  if (staying !== null && staying.isOpen !== true) ctx.world.state.closeIntent(intentId);
  return staying;
}

/**
 * The service answers that it has no such document, which it showed a moment ago. As a rule
 * somebody deleted it in between; but one that it goes on showing would be said to be gone and in
 * sync, and come back with the next run. So it is read once more.
 * @returns null: it is gone
 */
async function lookAgain(
  ctx: PassContext,
  link: Link,
  { localPath, changeId }: Deletion,
  fault: Fault,
): Promise<Staying | null> {
  const again = await fetchText(ctx, link.id, localPath);
  if (again.kind === "end") {
    const { outcome } = again;
    if (outcome.kind === "stale") return null;
    return outcome.kind === "refused" ? stays(outcome) : { ...stays(unsettled(outcome, fault)), isOpen: true };
  }
  if (again.value.file.lastChangeId !== changeId) return stays(stale("it was edited on the service meanwhile"));
  const detail = "the service answers that the document does not exist, but lists it";
  const { code, requestId } = fault.kind === "problem" ? fault : { code: "file_not_found", requestId: null };
  return stays({ kind: "refused", code, detail, requestId, hold: null }, again.value);
}

function stays(outcome: Outcome, live: RemoteText | null = null): Staying {
  return { kind: "stays", outcome, live };
}
