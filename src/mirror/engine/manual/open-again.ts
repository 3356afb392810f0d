import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { moveBaseUnderEdit } from "../../model/base.ts";
import { openConflict } from "../apply/conflict.ts";
import { fetchText, type RemoteText, stale, STALE, type ValueOrEnd, withEnd } from "../apply/effect.ts";
import { putContent } from "../apply/put.ts";
import { runEffect } from "../apply/run-effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { restoreText } from "./restore.ts";
import { type ManualEnd, makeNotDone, writeChosen } from "./run-manually.ts";

/** A conflict that the user ended. `expect` is the digest that the file must still have. */
type EndedConflict = {
  readonly id: DocId;
  readonly mine: Digest;
  readonly theirs: Digest;
  /** Version that both sides had edited; null if the document was new on both sides. */
  readonly base: Pick<DocumentRecord, "changeId" | "digest"> | null;
  readonly expect: Digest;
};

/**
 * Opens an ended conflict again. Afterwards the service and the file have the versions that they
 * had in the conflict, and base is the version that both sides had edited. If the user's choice
 * replaced the version on the service, mdmirror uploads that version first.
 * ORDER: the conflict opens before the local version is written to the file. After a crash between
 * the two, the file has the service's version, or the content that the user chose.
 */
export async function reopenConflict(ctx: CycleContext, ended: EndedConflict, detail: string): Promise<ManualEnd> {
  const { id, mine, base } = ended;
  const { state, disk } = ctx.world;
  const text = state.text(mine);
  if (text === null) return makeNotDone(stale("its content is no longer in the history"));
  const remoteOrEnd = await publishTheirs(ctx, ended, detail);
  if (remoteOrEnd.kind === "end") return makeNotDone(remoteOrEnd.outcome);
  const record = state.record(id);
  if (record === null) return makeNotDone(STALE.noRecord);
  const atPath = disk.look(record.localPath);
  if (atPath.kind !== "file") return makeNotDone(stale(`no file is at ${record.localPath}`));
  // If the document was new on both sides, base is the version on the service.
  const { changeId, digest } = base ?? { changeId: remoteOrEnd.value.file.lastChangeId, digest: ended.theirs };
  const movedRecord = moveBaseUnderEdit(record, changeId, digest, atPath.stamp);
  const outcome = await openConflict(ctx, movedRecord, record.localPath, remoteOrEnd.value, base, detail);
  if (outcome.kind !== "done") return makeNotDone(outcome);
  if (atPath.digest === mine) return { outcome, notes: [] };
  const event = { kind: "restore", detail } as const;
  const { localPath: path } = record;
  return writeChosen(ctx, { record: movedRecord, path, text, seen: atPath.digest, event, old: "the previous version" });
}

/** Uploads the service's version of the conflict first if the user's choice replaced it. */
async function publishTheirs(
  ctx: CycleContext,
  { id, theirs, expect }: EndedConflict,
  detail: string,
): Promise<ValueOrEnd<RemoteText>> {
  const record = ctx.world.state.record(id);
  if (record === null) return withEnd(STALE.noRecord);
  const remoteOrEnd = await fetchText(ctx, id, record.localPath);
  if (remoteOrEnd.kind === "end" || remoteOrEnd.value.digest === theirs) return remoteOrEnd;
  if (remoteOrEnd.value.file.lastChangeId !== record.changeId)
    return withEnd(stale("it was edited on the service since"));
  const restoreEnd = restoreText(ctx, record, theirs, expect, detail);
  if (restoreEnd.outcome.kind !== "done") return withEnd(restoreEnd.outcome);
  const { localPath, changeId: baseChangeId, protected: review } = record;
  const putAction = { kind: "put", why: detail, id, localPath, baseChangeId, expect: theirs, review } as const;
  const putOutcome = await runEffect(ctx, putContent, putAction);
  if (putOutcome.kind === "submitted") return withEnd(stale("its earlier version went to review"));
  if (putOutcome.kind !== "done") return withEnd(putOutcome);
  const publishedOrEnd = await fetchText(ctx, id, localPath);
  if (publishedOrEnd.kind === "end" || publishedOrEnd.value.digest === theirs) return publishedOrEnd;
  return withEnd(stale("it was edited on the service since"));
}
