import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import { type DocumentRecord, isSameInodeAndBirth } from "../../model/record.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import type { DiskOutcome, LocalText, PathState } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { isSetAsidePath } from "../run/world.ts";
import { hasRestarted, isCutOff, mayBeLost } from "./durability.ts";
import { DONE, leaveOpen, makeLocalOrigin } from "./effect.ts";
import { type LocalEffect, runLocalEffect, type EffectResult } from "./run-effect.ts";
import { containsChanges, moveBeside, putBack, readSetAside, writeFile } from "./write-file.ts";

type SetAsideRow = Extract<Intent, { kind: "set-aside" }>;

const CLOSED_RESULT = { kind: "over", outcome: DONE } as const;
const KEPT_RESULT = { kind: "open", outcome: DONE } as const;

/**
 * Checks the old file after a replacement: a program that still had the file open may have saved to
 * the old file (I14).
 * @param run number of the run that replaced the file. The old file stays until this run has ended,
 * because the cycles of one run leave programs no time to save
 */
export function makeSetAsideCheck(
  run: number,
): Pick<LocalEffect<never, SetAsideRow, never, SetAsideRow>, "observe" | "conclude"> {
  return {
    observe: (ctx, row) => observeSetAside(ctx, row, run),
    conclude: (_ctx, _row, row) => ({ outcome: DONE, change: null, next: { row } }),
  };
}

function observeSetAside(ctx: CycleContext, row: SetAsideRow, run: number): EffectResult<SetAsideRow> {
  const { disk, state } = ctx.world;
  const setAsideState = readSetAside(ctx, row);
  if ("why" in setAsideState) return leaveOpen(setAsideState.why);
  const { aside, atPath } = setAsideState;
  const redoResult = redoAfterPowerLoss(ctx, row, aside, atPath);
  if (redoResult !== null) return redoResult;
  // An old file in the trash stays for the user, so the journal row is no longer needed.
  if (!isSetAsidePath(row.setAsideAt)) return CLOSED_RESULT;
  if (aside.kind !== "done") {
    if (atPath.kind !== "absent") return leaveOpen(`the file that was set aside cannot be read: ${aside.detail}`);
    const detail = "the file that was set aside is not valid text and its path is free, so mdmirror moved it back";
    return putBackWithOlderBase(ctx, row, detail);
  }
  if (aside.value === null) return CLOSED_RESULT;
  const { digest, text } = aside.value;
  if (digest !== row.expect) {
    const contentAge = examineAfterPowerLoss(ctx, row, aside.value);
    if (contentAge === "older") return removeAfterFlush(ctx, row);
    if (contentAge === "unclear") return moveBeside(ctx, row, "a power loss changed the replaced file");
    state.putKnownText(
      digest,
      text,
      makeLocalOrigin(row.path, row.id, "an edit that a program saved while mdmirror replaced the file"),
    );
    return applyLateWrite(ctx, row, aside.value);
  }
  if (ctx.isThisRun(run) || disk.isOpenElsewhere(row.setAsideAt)) return KEPT_RESULT;
  // mdmirror stored the content when it first read the file, but the content store may have lost
  // the content since (I03).
  state.putKnownText(digest, text, makeLocalOrigin(row.path, row.id));
  return removeAfterFlush(ctx, row);
}

/**
 * Handles a replacement that a power loss reverted: the path is free, or has the old file again,
 * perhaps with later edits. If the record has the new version, base moves back to the version of
 * the old file. The next plan then replaces the file again.
 * @returns null if the new file is at its path, or if the set-aside file must be checked as well
 */
function redoAfterPowerLoss(
  ctx: CycleContext,
  row: SetAsideRow,
  aside: DiskOutcome<LocalText | null>,
  atPath: PathState,
): EffectResult<never> | null {
  const { state } = ctx.world;
  const record = state.record(row.id);
  if (!hasRestarted(ctx.world) || record === null || !mayBeLost(record)) return null;
  const isSetAside = aside.kind !== "done" || aside.value !== null;
  const isLost = atPath.kind === "absent" ? isSetAside : lacksNewVersion(ctx, row, record, atPath);
  if (!isLost) return null;
  // ORDER: base moves back before the old file does. With the newer base, the old content would
  // look like an edit that reverts the new version.
  state.putRecord({
    ...record,
    ...restoreBaseFields(row, record),
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
 * Returns true if a file other than the recorded file is at the path, and lacks changes of the
 * recorded base.
 */
function lacksNewVersion(ctx: CycleContext, row: SetAsideRow, record: DocumentRecord, atPath: PathState): boolean {
  if (atPath.kind !== "file" || (record.stamp !== null && isSameInodeAndBirth(record.stamp, atPath.stamp)))
    return false;
  if (atPath.digest === row.expect) return true;
  const file = ctx.world.disk.read(row.path);
  return file.kind === "done" && !hasNewerBase(ctx, row, record, file.value.text);
}

/**
 * Finds out, after a restart of the machine, whether a power loss removed the last writes to a
 * set-aside file. The content of the file is then older than expected. mdmirror must not treat
 * older content as a late save: a merge would revert the changes in the lost writes.
 * @returns "older" if writes were lost; null after a late save, or without a restart; "unclear" if
 * neither is certain
 */
function examineAfterPowerLoss(
  ctx: CycleContext,
  row: SetAsideRow,
  { text, digest, stamp }: LocalText,
): "older" | "unclear" | null {
  if (!hasRestarted(ctx.world)) return null;
  const { state } = ctx.world;
  const replacedText = state.text(row.expect);
  if (replacedText !== null && isCutOff(Buffer.from(replacedText), { size: stamp.size, digest })) return "older";
  if (containsChanges(ctx, findOlderVersion(ctx, row, replacedText), row.expect, text)) return null;
  // Content is certainly older only if it is a recorded version of the document. Other content in
  // the content store may come from the late save, because mdmirror stores all content that it
  // reads.
  return state.versions(row.id).some((version) => version.digest === digest) ? "older" : "unclear";
}

/**
 * Returns the newest version, at most as new as base, whose content differs from `replaced`. The
 * changes from this version to `replaced` may be the writes that a power loss removed.
 * @param replaced content that the file had when it was replaced; null if unknown
 * @returns null if there is no such version
 */
function findOlderVersion(
  { world: { state } }: CycleContext,
  { id, baseChangeId, baseDigest }: SetAsideRow,
  replaced: string | null,
): Digest | null {
  const versions = state.versions(id);
  const base = versions.findIndex(({ changeId }) => changeId === baseChangeId);
  const olderDigests = base === -1 ? [] : versions.slice(base + 1).map(({ digest }) => digest);
  const isOtherContent = (digest: Digest): boolean => {
    const text = state.text(digest);
    return text === null || replaced === null || !sameExceptTextForm(text, replaced);
  };
  return [baseDigest, ...olderDigests].find((digest) => digest !== null && isOtherContent(digest)) ?? null;
}

/**
 * ORDER: the content store is flushed before the file is removed. Otherwise a power cut could lose
 * the content in the store, but not undo the removal.
 */
function removeAfterFlush({ world: { disk, state } }: CycleContext, { setAsideAt }: SetAsideRow): typeof CLOSED_RESULT {
  state.secureTexts();
  disk.removeSetAside(setAsideAt);
  return CLOSED_RESULT;
}

/**
 * Moves a set-aside file back to its path, which is free. The document was deleted or moved since
 * the replacement, or an interrupted effect also set the new file aside. The file then counts as a
 * new document.
 */
function putBackWithOlderBase(ctx: CycleContext, row: SetAsideRow, detail: string): EffectResult<never> {
  moveBaseBack(ctx, row);
  return putBack(ctx, row, detail);
}

/**
 * Moves base back to the version of the set-aside content. The record keeps the digest of the
 * document's current file (`localDigest`), so that mdmirror still recognises a moved file.
 * ORDER: base moves back before the set-aside file does. With the newer base, the old content would
 * look like an edit that reverts the new version.
 */
function moveBaseBack({ world: { state } }: CycleContext, row: SetAsideRow): void {
  const record = state.record(row.id);
  if (record !== null) state.putRecord({ ...record, ...restoreBaseFields(row, record) });
}

/**
 * Returns the fields of the record that change when the document's file has the set-aside content
 * again. Base moves back to the version of that content.
 */
function restoreBaseFields(row: SetAsideRow, record: DocumentRecord): Partial<DocumentRecord> {
  const olderBase = findOlderBase(row, record);
  return olderBase === null ? {} : { ...olderBase, echoDigest: null };
}

/**
 * Returns the version on which the set-aside content is based; null if unknown, or if base is still
 * that version.
 */
function findOlderBase(
  { baseChangeId, baseDigest }: SetAsideRow,
  record: DocumentRecord,
): Pick<DocumentRecord, "changeId" | "digest"> | null {
  const isOlder = baseChangeId !== null && baseDigest !== null && baseChangeId !== record.changeId;
  return isOlder ? { changeId: baseChangeId, digest: baseDigest } : null;
}

/**
 * Handles content that a program saved late, to the set-aside file. Such late content is the user's
 * newest edit of the replaced content, so mdmirror merges it with the file at the path. If the two
 * do not merge:
 * - If the file has the version that mdmirror wrote, the late content becomes the local content.
 *   Base then moves back, and the next plan decides.
 * - If the file has other content, the late content becomes a new document, so that nothing is
 *   lost.
 */
function applyLateWrite(ctx: CycleContext, row: SetAsideRow, late: LocalText): EffectResult<SetAsideRow> {
  const { disk, state } = ctx.world;
  const record = state.record(row.id);
  const currentFile = disk.read(row.path);
  if (disk.look(row.path).kind === "absent")
    return putBackWithOlderBase(ctx, row, "an edit that a program saved while mdmirror replaced the file");
  if (currentFile.kind === "done" && record !== null) {
    if (isOtherDocument(ctx, row.id, currentFile.value)) {
      moveBaseBack(ctx, row);
      return moveBeside(
        ctx,
        row,
        "a program saved an edit while mdmirror replaced the file; its path has another document",
      );
    }
    const text = mergeLateContent(ctx, row, record, late, currentFile.value);
    if (text !== null) return writeLateContent(ctx, row, record, late, text, currentFile.value.digest);
  }
  return moveBeside(ctx, row, "a program saved an edit while mdmirror replaced the file; the edit could not be merged");
}

/**
 * Returns true if the file at the path is the file of another document, which a user renamed.
 * LIMIT: reads all records, because there is no index of inodes. Late saves are rare, so this
 * function is rarely called.
 */
function isOtherDocument({ world: { state } }: CycleContext, id: DocId, { stamp }: LocalText): boolean {
  const isThisFile = (record: DocumentRecord): boolean =>
    record.id !== id && record.stamp !== null && stamp.ino !== 0 && isSameInodeAndBirth(record.stamp, stamp);
  return state.load().records.values().some(isThisFile);
}

/**
 * Writes the late content, alone or merged, to the document's path. Base stays if `text` contains
 * all changes of base: the program may have saved to both the set-aside file and the new file.
 * Otherwise base moves back.
 */
function writeLateContent(
  ctx: CycleContext,
  row: SetAsideRow,
  record: DocumentRecord,
  late: LocalText,
  text: string,
  expect: Digest,
): EffectResult<SetAsideRow> {
  const { disk } = ctx.world;
  const olderBase = hasNewerBase(ctx, row, record, text) ? null : findOlderBase(row, record);
  const outcome = runLocalEffect(ctx, writeFile, {
    id: row.id,
    path: row.path,
    text,
    expect,
    base: record,
    next: null,
    ...(olderBase === null ? {} : { backTo: olderBase }),
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
  // The next content that a program saves to the set-aside file is an edit of the late content.
  if (disk.isOpenElsewhere(row.setAsideAt))
    return { kind: "seen", seen: { ...row, expect: late.digest, baseChangeId: null, baseDigest: null } };
  return removeAfterFlush(ctx, row);
}

/**
 * Merges the late content with the file at the path. If the two do not merge, returns the late
 * content alone, provided that the file has only content that mdmirror wrote.
 * @returns the content to write; null if the file must not be replaced
 */
function mergeLateContent(
  { world: { state } }: CycleContext,
  row: SetAsideRow,
  record: DocumentRecord,
  late: LocalText,
  current: LocalText,
): string | null {
  const replacedText = state.text(row.expect);
  const mergeResult = replacedText === null ? null : mergeText(replacedText, late.text, current.text);
  if (mergeResult?.kind === "clean") return mergeResult.text;
  // Only content that mdmirror wrote may be replaced. If the process ended after writing the late
  // content and before moving base, the file already has the late content.
  const isWrittenByMirror = current.digest === record.localDigest || current.digest === late.digest;
  return isWrittenByMirror && row.baseChangeId !== null && row.baseDigest !== null ? late.text : null;
}

/**
 * Returns true if `text` contains every change from the replaced content to the current base. Also
 * returns true if `text` contains every change from the previous base to the current base. One of
 * the two is enough, because the service may have combined several edits in one version.
 */
function hasNewerBase(
  ctx: CycleContext,
  { expect, baseDigest }: SetAsideRow,
  record: DocumentRecord,
  text: string,
): boolean {
  return (
    containsChanges(ctx, expect, record.localDigest, text) || containsChanges(ctx, baseDigest, record.digest, text)
  );
}
