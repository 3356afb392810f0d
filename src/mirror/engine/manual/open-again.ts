import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { moveBaseUnderEdit } from "../../model/settle.ts";
import { openConflict } from "../apply/conflict.ts";
import { fetchText, type RemoteText, stale, STALE, type ValueOrEnd, ended } from "../apply/effect.ts";
import { putContent } from "../apply/put.ts";
import { runEffect } from "../apply/run-effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { restoreText } from "./restore.ts";
import { type ManualEnd, notDone, writeChosen } from "./run-manually.ts";

/**
 * A conflict that the user ended: digests of its versions, and the current content of the file
 * (`expect`).
 */
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
 * had in the conflict, and base is the version that both had edited. If the user's choice replaced
 * the version on the service, that version is uploaded first.
 * ORDER: the conflict opens before the file gets the local version. After a crash in between, the
 * file has the service's version, or the content that the user chose.
 */
export async function openAgain(ctx: CycleContext, ended: EndedConflict, detail: string): Promise<ManualEnd> {
  const { id, mine, base } = ended;
  const { state, disk } = ctx.world;
  const text = state.text(mine);
  if (text === null) return notDone(stale("its content is no longer in the history"));
  const remote = await publishTheirs(ctx, ended, detail);
  if (remote.kind === "end") return notDone(remote.outcome);
  const record = state.record(id);
  if (record === null) return notDone(STALE.noRecord);
  const atPath = disk.look(record.localPath);
  if (atPath.kind !== "file") return notDone(stale(`no file is at ${record.localPath}`));
  // If the document was new on both sides, base is the version on the service.
  const { changeId, digest } = base ?? { changeId: remote.value.file.lastChangeId, digest: ended.theirs };
  const movedRecord = moveBaseUnderEdit(record, changeId, digest, atPath.stamp);
  const outcome = await openConflict(ctx, movedRecord, record.localPath, remote.value, base, detail);
  if (outcome.kind !== "done") return notDone(outcome);
  if (atPath.digest === mine) return { outcome, notes: [] };
  const event = { kind: "restore", detail } as const;
  const { localPath: path } = record;
  return writeChosen(ctx, { record: movedRecord, path, text, seen: atPath.digest, event, old: "the previous version" });
}

/**
 * Returns the conflict's version of the service. Uploads it first if the user's choice replaced it.
 */
async function publishTheirs(
  ctx: CycleContext,
  { id, theirs, expect }: EndedConflict,
  detail: string,
): Promise<ValueOrEnd<RemoteText>> {
  const record = ctx.world.state.record(id);
  if (record === null) return ended(STALE.noRecord);
  const fetched = await fetchText(ctx, id, record.localPath);
  if (fetched.kind === "end" || fetched.value.digest === theirs) return fetched;
  if (fetched.value.file.lastChangeId !== record.changeId) return ended(stale("it was edited on the service since"));
  const written = restoreText(ctx, record, theirs, expect, detail);
  if (written.outcome.kind !== "done") return ended(written.outcome);
  const { localPath, changeId: baseChangeId, protected: review } = record;
  const put = { kind: "put", why: detail, id, localPath, baseChangeId, expect: theirs, review } as const;
  const sent = await runEffect(ctx, putContent, put);
  if (sent.kind === "submitted") return ended(stale("its earlier version went to review"));
  if (sent.kind !== "done") return ended(sent);
  const published = await fetchText(ctx, id, localPath);
  if (published.kind === "end" || published.value.digest === theirs) return published;
  return ended(stale("it was edited on the service since"));
}
