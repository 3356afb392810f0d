import type { ChangeId, DocId } from "../../../contract/ids.ts";
import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath } from "../run/world.ts";
import {
  STALE,
  DONE,
  fetchText,
  withValue,
  isNotFound,
  outcomeOfFault,
  type RemoteText,
  readDocument,
  stale,
  outcomeOfUndoneWrite,
  outcomeOfFailedRead,
  outcomeWithoutProof,
} from "./effect.ts";
import type { Effect, EffectResult } from "./run-effect.ts";

type Deletion = {
  readonly id: DocId;
  /** Local path that the document's file had in the plan. The file may already be deleted. */
  readonly localPath: LocalPath;
  /**
   * The only version that may be deleted. Any other version was written by a user after the plan.
   */
  readonly changeId: ChangeId;
  /**
   * The only path at which the document may be deleted. If a user moved the document, the user
   * wants to keep it.
   */
  readonly remotePath: RemotePath;
  readonly why: string;
  /** True if the document must not be deleted after a file has come back to `localPath`. */
  readonly onlyWhileAbsent: boolean;
  /**
   * Returns the outcome of a refused deletion. `live`: the document as it was read just before the
   * DELETE.
   */
  readonly refused: (live: RemoteText, outcome: OutcomeOf<"refused">) => Outcome;
};

type DeleteRow = Extract<Intent, { kind: "delete" }>;

/**
 * Deletes a document on the service. mdmirror sends a DELETE for a document only in this effect.
 */
export const deleteDocument: Effect<Deletion, DeleteRow, Deletion, "gone"> = {
  async prepare(_, deletion) {
    const { id, localPath, changeId, why } = deletion;
    return withValue({ row: { kind: "delete", id, localPath, changeId, why }, input: deletion });
  },

  async perform(ctx, row, deletion) {
    // ORDER: the document is read after its journal row is committed, because the commit may take a
    // while. The read then shows an edit that somebody made during the commit.
    const remoteOrEnd = await fetchText(ctx, row.id, row.localPath);
    if (remoteOrEnd.kind === "end") return { kind: "over", outcome: remoteOrEnd.outcome };
    if (remoteOrEnd.value.file.lastChangeId !== row.changeId) return { kind: "over", outcome: STALE.editedRemotely };
    if (fromServicePath(ctx.world, remoteOrEnd.value.file.path) !== deletion.remotePath)
      return { kind: "over", outcome: stale("it was moved on the service meanwhile") };
    if (deletion.onlyWhileAbsent && ctx.world.disk.look(row.localPath).kind !== "absent")
      return { kind: "over", outcome: stale("a file is at its path again") };
    // ORDER: the content is flushed to the disk before the DELETE. A power cut can revert the last
    // commits of the content store, but not the DELETE.
    ctx.world.state.secureTexts(remoteOrEnd.value.digest);
    // RACE: from this read to the DELETE, mdmirror does not notice an edit on either side, because
    // the API has no conditional DELETE. The version that was read is in the content store.
    const answer = await ctx.world.remote.deleteFile(row.id);
    if (answer.ok) return { kind: "seen", seen: "gone", requestId: answer.requestId };
    if (answer.fault.kind === "uncertain") return { kind: "failed", fault: answer.fault };
    if (isNotFound(answer)) return readAfterNotFound(ctx, row, deletion, answer.fault);
    const outcome = outcomeOfFault(answer.fault);
    return {
      kind: "over",
      outcome: outcome.kind === "refused" ? deletion.refused(remoteOrEnd.value, outcome) : outcome,
    };
  },

  async observe(ctx, row, fault) {
    const answer = await readDocument(ctx, row.id, row.localPath);
    if (isNotFound(answer)) return { kind: "seen", seen: "gone" };
    if (!answer.ok) return { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    return { kind: "over", outcome: outcomeOfUndoneWrite("deletion", fault) };
  },

  conclude(ctx, { id, localPath: path, why }, _, source) {
    const record = ctx.world.state.record(id);
    if (record === null) return { outcome: DONE, change: null };
    ctx.notes.counts.deletedRemote++;
    const eventFields =
      source.from === "answer"
        ? { detail: why, requestId: source.requestId }
        : { detail: `${why}; no answer arrived, but the service no longer has the document` };
    const event = { kind: "delete-remote", side: "remote", id, path, before: record.digest, ...eventFields } as const;
    return { outcome: DONE, change: { ends: { record, trashPath: null }, event } };
  },
};

/**
 * Reads a document once more after a 404 to DELETE. Usually another user deleted the document after
 * the first read. If the service still has the document, mdmirror must not report the document as
 * deleted, because the next run would download it again.
 */
async function readAfterNotFound(
  ctx: CycleContext,
  row: DeleteRow,
  { refused }: Deletion,
  fault: Fault,
): Promise<EffectResult<"gone">> {
  const secondRead = await fetchText(ctx, row.id, row.localPath);
  if (secondRead.kind === "end") {
    const { outcome } = secondRead;
    if (outcome.kind === "stale") return { kind: "seen", seen: "gone" };
    return outcome.kind === "refused"
      ? { kind: "over", outcome }
      : { kind: "open", outcome: outcomeWithoutProof(outcome, fault) };
  }
  if (secondRead.value.file.lastChangeId !== row.changeId) return { kind: "over", outcome: STALE.editedRemotely };
  const detail = "the service answers that the document does not exist, but lists it";
  const { code, requestId } = fault.kind === "problem" ? fault : { code: "file_not_found", requestId: null };
  return {
    kind: "over",
    outcome: refused(secondRead.value, { kind: "refused", code, detail, requestId, block: null }),
  };
}
