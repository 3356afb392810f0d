import type { Digest } from "../../../contract/digest.ts";
import { type DocumentRecord, sameInodeAndBirth } from "../../model/record.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import type { DiskOutcome, LocalText, PathState } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { isSetAsidePath } from "../run/world.ts";
import { hasRestarted, isCutOff } from "./cut-off.ts";
import { DONE, leaveOpen } from "./effect.ts";
import { mayBeLost } from "./flush.ts";
import { type LocalEffect, runLocalEffect, type EffectResult } from "./run-effect.ts";
import { containsChanges, moveBeside, putBack, readSetAside } from "./set-aside.ts";
import { localContentName } from "./text-name.ts";
import { writeFile } from "./write-file.ts";

type Row = Extract<Intent, { kind: "set-aside" }>;

const CLOSED = { kind: "over", outcome: DONE } as const;
const KEPT = { kind: "open", outcome: DONE } as const;

/**
 * Checks the old file after a replacement: a program that still had it open may have saved to it
 * (I14).
 * @param run run in which the file was replaced. A file without a late save is kept until that run
 * has ended, because the cycles of a run follow each other without a pause
 */
export function checkSetAside(run: number): Pick<LocalEffect<never, Row, never, Row>, "observe" | "conclude"> {
  return {
    observe: (ctx, row) => observeSetAside(ctx, row, run),
    conclude: (_ctx, _row, row) => ({ outcome: DONE, change: null, next: { row } }),
  };
}

function observeSetAside(ctx: CycleContext, row: Row, run: number): EffectResult<Row> {
  const { disk, state } = ctx.world;
  const found = readSetAside(ctx, row);
  if ("why" in found) return leaveOpen(found.why);
  const { aside, atPath } = found;
  const reverted = redoAfterPowerLoss(ctx, row, aside, atPath);
  if (reverted !== null) return reverted;
  // An old file in the trash stays in the trash for the user.
  if (!isSetAsidePath(row.setAsideAt)) return CLOSED;
  if (aside.kind !== "done") {
    if (atPath.kind !== "absent") return leaveOpen(`the file that was set aside cannot be read: ${aside.detail}`);
    const why = "the file that was set aside is not valid text and its path is free, so mdmirror moved it back";
    return putBackOnItsBase(ctx, row, why);
  }
  if (aside.value === null) return CLOSED;
  const { digest, text } = aside.value;
  if (digest !== row.expect) {
    const judgement = examineAfterPowerLoss(ctx, row, aside.value);
    if (judgement === "older") return removeAfterFlush(ctx, row);
    if (judgement === "unclear") return moveBeside(ctx, row, "a power loss changed the replaced file");
    state.putKnownText(
      digest,
      text,
      localContentName(row.path, row.id, "an edit that a program saved while mdmirror replaced the file"),
    );
    return applyLateWrite(ctx, row, aside.value);
  }
  if (ctx.isThisRun(run) || disk.isOpenElsewhere(row.setAsideAt)) return KEPT;
  // The content was stored when it was first read. If the store has lost the content since, it is
  // stored again before the file is removed (I03).
  state.putKnownText(digest, text, localContentName(row.path, row.id));
  return removeAfterFlush(ctx, row);
}

/**
 * Handles a new file that a power loss removed, together with the latest changes of names. Its path
 * is free, or has the old file again, which its user may have edited since. The record may have
 * survived although the names did not. The old file is compared with its own base, so that the next
 * plan repeats the replacement.
 * @returns null if the new file is at its path, or if the set-aside file is to be checked as well
 */
function redoAfterPowerLoss(
  ctx: CycleContext,
  row: Row,
  aside: DiskOutcome<LocalText | null>,
  atPath: PathState,
): EffectResult<never> | null {
  const { state } = ctx.world;
  const record = state.record(row.id);
  if (!hasRestarted(ctx.world) || record === null || !mayBeLost(record)) return null;
  const isSetAside = aside.kind !== "done" || aside.value !== null;
  const isLost = atPath.kind === "absent" ? isSetAside : lacksNewVersion(ctx, row, record, atPath);
  if (!isLost) return null;
  // ORDER: base moves back first. With the newer base, the old content would look like an edit that
  // reverts it.
  state.putRecord({
    ...record,
    ...baseBefore(row, record),
    localDigest: row.baseDigest ?? record.localDigest,
    durable: true,
  });
  const detail = "a power loss took the new version of the file; mdmirror writes it again";
  if (atPath.kind === "absent") return putBack(ctx, row, detail);
  if (isSetAside) return null;
  const { id, path } = row;
  return { kind: "over", outcome: DONE, change: { event: { kind: "recover", side: "local", id, path, detail } } };
}

/**
 * Returns true if the file at the path has another inode than the recorded one, and its content
 * lacks changes of the newer base.
 */
function lacksNewVersion(ctx: CycleContext, row: Row, record: DocumentRecord, atPath: PathState): boolean {
  if (atPath.kind !== "file" || (record.stamp !== null && sameInodeAndBirth(record.stamp, atPath.stamp))) return false;
  if (atPath.digest === row.expect) return true;
  const file = ctx.world.disk.read(row.path);
  return file.kind === "done" && !hasNewerBase(ctx, row, record, file.value.text);
}

/**
 * Checks after a restart of the machine whether a power loss removed the last writes to a set-aside
 * file. Such content is older than the saved one: merging it as a late save would remove what the
 * lost writes had added.
 * @returns "older" if so; null if the content is a late save, or without a restart; "unclear" if
 * neither is certain
 */
function examineAfterPowerLoss(
  ctx: CycleContext,
  row: Row,
  { text, digest, stamp }: LocalText,
): "older" | "unclear" | null {
  if (!hasRestarted(ctx.world)) return null;
  const { state } = ctx.world;
  const replaced = state.text(row.expect);
  if (replaced !== null && isCutOff(Buffer.from(replaced), { size: stamp.size, digest })) return "older";
  if (containsChanges(ctx, versionBefore(ctx, row, replaced), row.expect, text)) return null;
  // Only a version of the document is certainly older. Other content in the store may be the late
  // save itself, because content is stored before it is written.
  return state.versions(row.id).some((version) => version.digest === digest) ? "older" : "unclear";
}

/**
 * Returns the newest version, up to base, whose content differs from that of the replaced file
 * (`replaced`). A version with the file's content is skipped: the user's program had not flushed
 * that content when it was uploaded.
 */
function versionBefore(
  { world: { state } }: CycleContext,
  { id, baseChangeId, baseDigest }: Row,
  replaced: string | null,
): Digest | null {
  const versions = state.versions(id);
  const base = versions.findIndex(({ changeId }) => changeId === baseChangeId);
  const older = base === -1 ? [] : versions.slice(base + 1).map(({ digest }) => digest);
  const isOther = (digest: Digest): boolean => {
    const text = state.text(digest);
    return text === null || replaced === null || !sameExceptTextForm(text, replaced);
  };
  return [baseDigest, ...older].find((digest) => digest !== null && isOther(digest)) ?? null;
}

/**
 * Removes the set-aside file. ORDER: its content is flushed first: a power cut could revert the
 * last commits of the store, but not the removal.
 */
function removeAfterFlush({ world: { disk, state } }: CycleContext, { setAsideAt }: Row): typeof CLOSED {
  state.secureTexts();
  disk.removeSetAside(setAsideAt);
  return CLOSED;
}

/**
 * Moves a set-aside file back to its path, which is free. The document was deleted or moved since,
 * or an interrupted effect set the file aside again. The record keeps the digest of the document's
 * current file (`localDigest`), so a moved document is still recognised. The restored file becomes
 * a document of its own. ORDER: base moves back first. With the newer base, the old content would
 * seem to be an edit that reverts it.
 */
function putBackOnItsBase(ctx: CycleContext, row: Row, detail: string): EffectResult<never> {
  const { state } = ctx.world;
  const record = state.record(row.id);
  if (record !== null) state.putRecord({ ...record, ...baseBefore(row, record) });
  return putBack(ctx, row, detail);
}

/** Returns the fields of a record whose file has the set-aside content again. */
function baseBefore(row: Row, record: DocumentRecord): Partial<DocumentRecord> {
  const older = olderVersion(row, record);
  return older === null ? {} : { ...older, echoDigest: null };
}

/**
 * Returns the base of the set-aside content; null if the content had no base, or if base is still
 * that version (a new document that was read back since).
 */
function olderVersion(
  { baseChangeId, baseDigest }: Row,
  record: DocumentRecord,
): Pick<DocumentRecord, "changeId" | "digest"> | null {
  const isOlder = baseChangeId !== null && baseDigest !== null && baseChangeId !== record.changeId;
  return isOlder ? { changeId: baseChangeId, digest: baseDigest } : null;
}

/**
 * Handles content that a program saved to the old file. It is the user's newest content, based on
 * the content that was replaced (`expect`), so it is merged with the file at the path. If it does
 * not merge with the version that mdmirror wrote, it becomes the local content again. Base then
 * moves back, and the next plan decides. If it does not merge with any other content at the path,
 * it becomes a document of its own, so that nothing is lost.
 */
function applyLateWrite(ctx: CycleContext, row: Row, late: LocalText): EffectResult<Row> {
  const { disk, state } = ctx.world;
  const record = state.record(row.id);
  const current = disk.read(row.path);
  if (disk.look(row.path).kind === "absent")
    return putBackOnItsBase(ctx, row, "an edit that a program saved while mdmirror replaced the file");
  if (current.kind === "done" && record !== null) {
    const text = mergeLateContent(ctx, row, record, late, current.value);
    if (text !== null) return writeLateContent(ctx, row, record, late, text, current.value.digest);
  }
  return moveBeside(ctx, row, "a program saved an edit while mdmirror replaced the file; the edit does not merge");
}

/**
 * Writes `text`, the late content alone or merged, to the document's path. The newer base stays if
 * `text` has all of that base's changes: the program may also have saved to the path.
 */
function writeLateContent(
  ctx: CycleContext,
  row: Row,
  record: DocumentRecord,
  late: LocalText,
  text: string,
  expect: Digest,
): EffectResult<Row> {
  const { disk } = ctx.world;
  const older = hasNewerBase(ctx, row, record, text) ? null : olderVersion(row, record);
  const outcome = runLocalEffect(ctx, writeFile, {
    id: row.id,
    path: row.path,
    text,
    expect,
    base: record,
    next: null,
    ...(older === null ? {} : { backTo: older }),
    event: {
      kind: "late-write",
      side: "local",
      before: row.expect,
      after: late.digest,
      detail: "a program saved an edit while mdmirror replaced the file; mdmirror restored the edit",
    },
  });
  if (outcome.kind !== "done")
    return leaveOpen("mdmirror could not move back yet an edit that a program saved while mdmirror replaced the file");
  // A later write to the set-aside file is an edit of the content that is written now.
  if (disk.isOpenElsewhere(row.setAsideAt))
    return { kind: "seen", seen: { ...row, expect: late.digest, baseChangeId: null, baseDigest: null } };
  return removeAfterFlush(ctx, row);
}

/**
 * Returns the content to write. This is the late content merged with the file at the path. If the
 * two do not merge, it is the late content alone, provided that the file contains only what
 * mdmirror wrote.
 * @returns null if the file must not be replaced
 */
function mergeLateContent(
  { world: { state } }: CycleContext,
  row: Row,
  record: DocumentRecord,
  late: LocalText,
  current: LocalText,
): string | null {
  const replaced = state.text(row.expect);
  const merged = replaced === null ? null : mergeText(replaced, late.text, current.text);
  if (merged?.kind === "clean") return merged.text;
  // Only content that mdmirror wrote may be replaced. The file has the late content already if the
  // process ended after it was written and before base moved.
  const isWrittenByMirror = current.digest === record.localDigest || current.digest === late.digest;
  return isWrittenByMirror && row.baseChangeId !== null && row.baseDigest !== null ? late.text : null;
}

/**
 * Returns true if content has all changes of the newer base. The newer base may contain the changes
 * since the replaced content (the service combines edits), or those since the previous base.
 */
function hasNewerBase(ctx: CycleContext, { expect, baseDigest }: Row, record: DocumentRecord, text: string): boolean {
  return (
    containsChanges(ctx, expect, record.localDigest, text) || containsChanges(ctx, baseDigest, record.digest, text)
  );
}
