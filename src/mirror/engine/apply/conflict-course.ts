import type { ActionOf, Outcome } from "../../model/action.ts";
import type { ChangeId } from "../../../contract/ids.ts";
import { type Conflict, type ShownVersion, forgetNewestCopy } from "../../model/record.ts";
import type { Intent } from "../../ports/state.ts";
import { STALE, DONE, withOutcome, makeEvent, fetchText, withValue, readLocal } from "./effect.ts";
import { describeOpenReviews, mergeWithPublished, writeMergedFile } from "./merge.ts";
import { type EffectResult, type LocalEffect, runLocalEffect } from "./run-effect.ts";
import { writeFile } from "./write-file.ts";
import { showVersion } from "./conflict.ts";
import { trashConflictCopies } from "./conflict-copies.ts";
import type { CycleContext } from "../run/cycle-context.ts";

const MERGES_NOW_DETAIL = "the newer version merges: the conflict is resolved";
const ACCEPTED_DETAIL = "the published version has the change that was in review: the conflict is resolved";

export function renewConflict(ctx: CycleContext, action: ActionOf<"renew-conflict">): Promise<Outcome> {
  return mergeOrShowNewer(ctx, action, null);
}

/**
 * Merges the local content with the current version on the service. If the merge is clean, the
 * conflict ends. Otherwise a new conflict copy shows the current version, and the conflict
 * continues.
 * @param rejected version that the user rejected in favour of the local content, which is then the
 * base of the merge; null if the user has not chosen
 */
async function mergeOrShowNewer(
  ctx: CycleContext,
  action: ActionOf<"renew-conflict" | "end-conflict">,
  rejected: ChangeId | null,
): Promise<Outcome> {
  const { state } = ctx.world;
  const localResult = readLocal(ctx, action.id, action.localPath, action.expect);
  if (localResult.kind === "end") return localResult.outcome;
  const remoteResult = await fetchText(ctx, action.id, action.localPath);
  if (remoteResult.kind === "end") return remoteResult.outcome;
  const { file } = remoteResult.value;
  // ORDER: the record and the conflict are read after the request, because a step may have moved
  // the document and its copy during the request.
  const record = state.record(action.id);
  const conflict = rebaseConflict(state.conflict(action.id), rejected);
  if (record === null || conflict === null) return STALE.conflictEnded;
  const localVersion = { text: localResult.value.text, digest: action.expect };
  const mergeResult = mergeWithPublished(
    ctx,
    record,
    action.localPath,
    conflict.baseDigest,
    localVersion,
    remoteResult.value,
  );
  if (mergeResult.local !== null) {
    const { local: text, waiting, commonBase } = mergeResult;
    const isAccepted = record.submissions.length > 0 && waiting.length === 0;
    return writeMergedFile(
      ctx,
      action,
      { record, remote: remoteResult.value },
      {
        text,
        detail: isAccepted ? ACCEPTED_DETAIL : describeMerge(action),
        counts: isAccepted ? "accepted" : "merged",
        waiting,
        mergedFrom: text === remoteResult.value.text ? null : (commonBase?.digest ?? null),
      },
    );
  }
  // The submissions are kept as mdmirror sent them, without their merges with the service's
  // version. A change that the service accepted is no longer in review. The remaining local
  // difference is then a later edit.
  const submissions = mergeResult.waiting.filter(({ baseChangeId }) => baseChangeId !== file.lastChangeId);
  const changedRecord = submissions.length === record.submissions.length ? null : { ...record, submissions };
  const event = { ...makeEvent(action, "local"), kind: "renew-conflict" } as const;
  return showVersion(ctx, conflict, remoteResult.value, action.localPath, changedRecord, event);
}

function describeMerge(action: ActionOf<"renew-conflict" | "end-conflict">): string {
  return action.kind === "end-conflict" ? `${action.how}: ${action.why}` : MERGES_NOW_DETAIL;
}

/**
 * Returns the conflict with the version `rejected` as its base, because the user prefers the local
 * content to that version. The copy of that version is gone, so the result has no inode for the
 * copy.
 * @returns null if the conflict no longer has that version
 */
function rebaseConflict(conflict: Conflict | null, rejected: ChangeId | null): Conflict | null {
  if (conflict === null || rejected === null) return conflict;
  const rejectedVersion = findShownVersion(conflict, rejected);
  if (rejectedVersion === null) return null;
  const shownVersions = conflict.shown.map((version) =>
    version === rejectedVersion ? { ...version, ino: 0, dev: 0 } : version,
  );
  return {
    ...conflict,
    baseDigest: rejectedVersion.digest,
    baseChangeId: rejectedVersion.changeId,
    shown: shownVersions,
  };
}

function findShownVersion({ shown }: Conflict, changeId: ChangeId): ShownVersion | null {
  return shown.findLast((version) => version.changeId === changeId) ?? null;
}

/**
 * Ends a conflict as the user chose. Base becomes the version whose copy the user removed or moved
 * over the document; the next cycle uploads the local content. If the service has a newer version,
 * mdmirror merges that version or shows it in a new copy.
 */
export async function endConflict(ctx: CycleContext, action: ActionOf<"end-conflict">): Promise<Outcome> {
  const { how, baseChangeId, changeId } = action;
  if (how !== "equal" && changeId !== baseChangeId) return mergeOrShowNewer(ctx, action, baseChangeId);
  const { id, localPath: path, expect } = action;
  const { state } = ctx.world;
  const record = state.record(id);
  const conflict = state.conflict(id);
  const rejectedVersion = conflict === null ? null : findShownVersion(conflict, baseChangeId);
  if (record === null || rejectedVersion === null) return STALE.conflictEnded;
  const localResult = readLocal(ctx, id, path, expect);
  if (localResult.kind === "end") return localResult.outcome;
  const detail = `${how}: ${action.why}${describeOpenReviews(record)}`;
  return runLocalEffect(ctx, writeFile, {
    id,
    path,
    text: null,
    expect,
    base: record,
    next: rejectedVersion,
    waiting: [],
    event: makeEvent(action, "local", { detail, before: rejectedVersion.digest }),
  });
}

/** Counts one more scan without the conflict copy. */
export function noteMissingCopy(ctx: CycleContext, action: ActionOf<"look-again">): Outcome {
  const conflict = ctx.world.state.conflict(action.id);
  if (conflict === null) return STALE.conflictEnded;
  ctx.world.state.putConflict({ ...conflict, looksGone: conflict.looksGone + 1 });
  return DONE;
}

type DropConflictRow = Extract<Intent, { kind: "drop-conflict" }>;

/**
 * Moves the copies of a conflict to the trash, and ends the conflict.
 * ORDER: one journal row covers both changes. Otherwise, after a crash, a copy that is already in
 * the trash would count as removed by the user.
 */
export const dropConflict: LocalEffect<ActionOf<"drop-conflict">, DropConflictRow, null, Conflict> = {
  prepare(ctx, { id, newestCopyPath, comesBack, why }) {
    const conflict = ctx.world.state.conflict(id);
    if (conflict === null) return withOutcome(DONE);
    const path = newestCopyPath ?? conflict.newestCopyPath;
    const row = { kind: "drop-conflict", id, path, why, ...(comesBack === true ? { comesBack } : {}) } as const;
    return withValue({ row, input: null });
  },

  perform: trashCopies,
  observe: trashCopies,

  conclude(_, { id, comesBack, why }, conflict) {
    const path = conflict.newestCopyPath;
    const event = { kind: "drop-conflict", side: "local", id, path, detail: why } as const;
    // If `comesBack`, the user deleted the document's file during the conflict, and a later step
    // restores the file. The conflict stays recorded until that step. Otherwise, after a crash, the
    // missing file would count as a deletion. The recorded copy is removed, so that a missing copy
    // is not the user's choice.
    const change = comesBack === true ? { conflict: forgetNewestCopy(conflict) } : { removes: { conflict: id } };
    return { outcome: DONE, change: { ...change, event } };
  },
};

function trashCopies(ctx: CycleContext, { id, path }: DropConflictRow): EffectResult<Conflict> {
  const { state } = ctx.world;
  const conflict = state.conflict(id);
  if (conflict === null) return { kind: "over", outcome: DONE };
  const trashResult = trashConflictCopies(ctx, conflict, state.record(id)?.localPath ?? path, path);
  return trashResult.kind === "got"
    ? { kind: "seen", seen: conflict }
    : { kind: "over", outcome: trashResult.outcome, change: { conflict: forgetNewestCopy(conflict) } };
}
