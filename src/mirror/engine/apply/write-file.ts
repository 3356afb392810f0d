import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { Outcome } from "../../model/action.ts";
import { ONE_WAY_SYNC_CLAUSES } from "../../model/block.ts";
import type { DocumentRecord, Stamp } from "../../model/record.ts";
import { makeRecord, moveBase, moveBaseUnderEdit } from "../../model/base.ts";
import { areSimilar, makeLineProfile } from "../../model/similar.ts";
import type { DiskOutcome, LocalText, PathState, WrittenStamp } from "../../ports/disk.ts";
import type { EventFields, Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { makeSetAsidePath } from "../run/world.ts";
import type { StateChange } from "./commit.ts";
import { trashConflictCopies } from "./conflict-copies.ts";
import {
  becomesBlank,
  DONE,
  leaveOpen,
  makeMergedOrigin,
  outcomeOfDisk,
  stale,
  staleIfInUse,
  withOutcome,
  withValue,
} from "./effect.ts";
import { ensureFolders } from "./folder.ts";
import { type EffectResult, type LocalEffect, runLocalEffect } from "./run-effect.ts";
import { cutToBytes, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { hasRestarted } from "./durability.ts";
import type { DocId } from "../../../contract/ids.ts";

type BaseVersion = Pick<DocumentRecord, "changeId" | "digest">;

type ReplaceRow = Extract<Intent, { kind: "replace" }>;

/** A write to a file. The members that are picked from `ReplaceRow` are also in the journal row. */
export type FileWrite = Pick<
  ReplaceRow,
  "id" | "path" | "expect" | "waiting" | "adopts" | "endsBlock" | "backTo" | "counts"
> & {
  /** Content to write; null if the file keeps its content, which may be no text. */
  readonly text: string | null;
  /**
   * Base before this write; null if there was none. A late edit of the old file is an edit of this
   * base.
   */
  readonly base: BaseVersion | null;
  /** Version to which base moves; null if the content is an edit and base stays. */
  readonly next: BaseVersion | null;
  readonly event: Omit<EventFields, "id" | "path"> & Partial<Pick<EventFields, "path">>;
  /** Path of the old file in the trash; undefined if the old file is only set aside. */
  readonly trash?: string;
  /** List to which the write adds the paths of the removed conflict copies, below `.mdmirror/`. */
  readonly copies?: string[];
};

type StampedDigest = { readonly stamp: Stamp; readonly digest: Digest };
/** `same` if the file had the content already. */
type WriteKind = "created" | "replaced" | "same";
type ObservedFile = {
  /** Stamp and digest of the written file; null if the file at the path has other content. */
  readonly file: StampedDigest | null;
  readonly writeKind: WriteKind;
  /** Outcome if a copy of the ended conflict could not be removed; null if no copy is left. */
  readonly stays: Outcome | null;
};

/**
 * Replaces a file. An editor may still save to the old file, so `late-write.ts` checks it later.
 */
export const writeFile: LocalEffect<FileWrite, ReplaceRow, FileWrite, ObservedFile> = {
  prepare(ctx, writing) {
    const { text, base, next, event, trash, copies: _, ...decided } = writing;
    const { id, path, expect } = decided;
    if (isUncountedLoss(ctx, writing)) return withOutcome(stale("it became empty after the safety checks"));
    const newDigest = chooseNewDigest(writing);
    if (text !== null) ctx.world.state.putKnownText(newDigest, text, makeMergedOrigin(path, id, event.detail));
    const row: ReplaceRow = {
      ...decided,
      kind: "replace",
      setAsideAt: trash ?? makeSetAsidePath(ctx.world),
      writes: newDigest,
      baseChangeId: base?.changeId ?? null,
      baseDigest: base?.digest ?? null,
      ...(next === null ? {} : { nextChangeId: next.changeId, nextDigest: next.digest }),
      event: { before: expect, after: newDigest, id, path, ...event },
    };
    return withValue({ row, input: writing });
  },

  perform(ctx, row, { text, copies }) {
    const { disk } = ctx.world;
    const { path, expect, writes, setAsideAt } = row;
    if (text === null || writes === expect) {
      const pathState = disk.look(path);
      if (pathState.kind !== "file" || pathState.digest !== expect)
        return { kind: "over", outcome: stale("the file was changed after the scan") };
      return observeWritten(ctx, row, pathState, "same", copies);
    }
    if (expect !== null) return makeReplaceResult(ctx, row, disk.replace(path, text, expect, setAsideAt), copies);
    const folderFailure = ensureFolders(ctx, path);
    return folderFailure === null
      ? makeReplaceResult(ctx, row, disk.create(path, text), copies)
      : { kind: "over", outcome: folderFailure };
  },

  observe(ctx, row) {
    const setAsideState = readSetAside(ctx, row);
    if ("why" in setAsideState) return leaveOpen(setAsideState.why);
    const { aside, atPath } = setAsideState;
    if (mayPutBack(aside, atPath))
      return putBack(ctx, row, "mdmirror was interrupted while it replaced the file; it restored the file");
    if (aside.kind !== "done") return leaveOpen(`the file that was set aside cannot be read: ${aside.detail}`);
    const file = ctx.world.disk.read(row.path);
    const isWritten = file.kind === "done" && file.value.digest === row.writes;
    if (aside.value === null) {
      if (row.expect === null && isWritten) return observeWritten(ctx, row, file.value, "created");
      ctx.world.links?.unwritten(row.path, row.setAsideAt);
      return { kind: "over", outcome: DONE };
    }
    if (isWritten) return observeWritten(ctx, row, file.value, "replaced");
    if (file.kind === "done" && isUnlikeBoth(ctx, row, aside.value.text, file.value.text))
      return moveBeside(ctx, row, "mdmirror was interrupted while it replaced the file, and another file has its path");
    // The user may have edited the file after mdmirror wrote it. A file that still contains every
    // change that mdmirror wrote counts as written.
    if (file.kind === "done" && containsChanges(ctx, row.baseDigest, row.nextDigest ?? null, file.value.text))
      return observeWritten(ctx, row, file.value, "replaced");
    return { kind: "seen", seen: { file: null, writeKind: "replaced", stays: null } };
  },

  conclude(ctx, row, { file, writeKind: how, stays }) {
    const { id, path, setAsideAt, expect, baseChangeId, baseDigest } = row;
    const change = file === null ? null : makeChange(ctx, row, file, how, stays !== null);
    const outcome = stays ?? DONE;
    if (how !== "replaced" || expect === null) return { outcome, change };
    return {
      outcome,
      change,
      next: { row: { kind: "set-aside", id, path, setAsideAt, expect, baseChangeId, baseDigest } },
    };
  },
};

/** Replaces a file. Returns stale if somebody is editing the file, or if the sync only uploads. */
export function updateFile(ctx: CycleContext, writing: FileWrite): Outcome {
  const { id, path: localPath, expect } = writing;
  if (chooseNewDigest(writing) === expect) return runLocalEffect(ctx, writeFile, writing);
  if (ctx.settings.direction === "push") return stale(ONE_WAY_SYNC_CLAUSES.push);
  return staleIfInUse(ctx, { id, localPath }) ?? runLocalEffect(ctx, writeFile, writing);
}

/**
 * Returns true if a file resembles neither the old nor the new content enough to be an edit.
 * Without this check, any file at the path would count as an edit, and would replace the document
 * on the service.
 */
function isUnlikeBoth({ world: { state } }: CycleContext, { writes }: ReplaceRow, old: string, text: string): boolean {
  const fileProfile = makeLineProfile(text);
  return [old, state.text(writes)].every(
    (content) => content === null || !areSimilar(makeLineProfile(content), fileProfile),
  );
}

function chooseNewDigest({ text, expect }: FileWrite): Digest {
  if (text !== null) return digestOf(text);
  if (expect === null) throw new TypeError("neither a file nor content for one");
  return expect;
}

/** Returns true if the document would become empty, and the safety checks did not count this. */
function isUncountedLoss(
  { notes: { mayBeEmptied: mayEmpty }, world }: CycleContext,
  { id, text, expect }: FileWrite,
): boolean {
  return text !== null && mayEmpty !== null && !mayEmpty.has(id) && becomesBlank(world, expect, text);
}

export function makeReplaceResult(
  ctx: CycleContext,
  row: ReplaceRow,
  end: DiskOutcome<WrittenStamp>,
  copies?: string[],
): EffectResult<ObservedFile> {
  // The journal row stays open only if the old file is still set aside. Recovery then restores that
  // file.
  if (end.kind !== "done") return { kind: end.isSetAside ? "open" : "over", outcome: outcomeOfDisk(end) };
  ctx.notes.toFlush.set(row.id, row.path);
  return observeWritten(
    ctx,
    row,
    { stamp: end.value.stamp, digest: row.writes },
    row.expect === null ? "created" : "replaced",
    copies,
  );
}

/**
 * Returns the written file. If the write ends a conflict, moves the conflict copies to the trash.
 */
function observeWritten(
  ctx: CycleContext,
  { id, path, baseDigest, nextDigest }: ReplaceRow,
  { stamp, digest }: StampedDigest,
  writeKind: WriteKind,
  copies: string[] = [],
): EffectResult<ObservedFile> {
  const { state } = ctx.world;
  const movesBase = nextDigest !== undefined && state.record(id)?.digest === baseDigest;
  const conflict = movesBase ? state.conflict(id) : null;
  const trashResult = conflict === null ? withValue([]) : trashConflictCopies(ctx, conflict, path);
  if (trashResult.kind === "got") copies.push(...trashResult.value);
  const copyFailure = trashResult.kind === "end" ? trashResult.outcome : null;
  return { kind: "seen", seen: { file: { stamp, digest }, writeKind, stays: copyFailure } };
}

function makeChange(
  ctx: CycleContext,
  row: ReplaceRow,
  file: StampedDigest,
  writeKind: WriteKind,
  isInConflict: boolean,
): StateChange {
  const { id, path, nextChangeId: changeId, nextDigest: digest, adopts, event } = row;
  if (row.counts !== undefined) ctx.notes.counts[row.counts]++;
  const record = ctx.world.state.record(id);
  const stampFields = { stamp: file.stamp, stampTrusted: false };
  if (changeId === undefined || digest === undefined) {
    if (record === null) return { event };
    const editedRecord = { ...record, ...stampFields, durable: record.localDigest !== row.writes && record.durable };
    const { backTo } = row;
    return {
      contentRecord:
        backTo === undefined
          ? editedRecord
          : moveBaseUnderEdit(editedRecord, backTo.changeId, backTo.digest, file.stamp),
      event,
    };
  }
  const version = { changeId, digest };
  const baseFields = { ...version, localDigest: digest, ...stampFields, durable: writeKind === "same" };
  if (adopts !== undefined) {
    const adoptedRecord = makeRecord(id, path, adopts.remotePath, adopts.protected, baseFields);
    return { record: adoptedRecord, version: { id, ...version }, removes: { tombstone: id }, event };
  }
  if (record === null || record.digest !== row.baseDigest) return { event };
  const movedRecord =
    file.digest === digest
      ? moveBase(record, baseFields)
      : { ...moveBaseUnderEdit(record, changeId, digest, file.stamp), durable: writeKind === "same" && record.durable };
  const submissions = row.waiting ?? (row.writes === digest ? [] : record.submissions);
  const conflictChange = changeConflict(ctx, row, version, isInConflict);
  return { contentRecord: { ...movedRecord, submissions }, version: { id, ...version }, ...conflictChange, event };
}

/**
 * Ends the conflict after a write. If a copy could not be removed, the conflict and its block stay.
 */
function changeConflict(
  { world: { state } }: CycleContext,
  { id, endsBlock }: ReplaceRow,
  { changeId: baseChangeId, digest: baseDigest }: BaseVersion,
  isOpen: boolean,
): Pick<StateChange, "conflict" | "removes"> {
  const conflict = isOpen ? state.conflict(id) : null;
  if (conflict !== null) return { conflict: { ...conflict, baseChangeId, baseDigest } };
  return { removes: { conflict: id, ...(endsBlock === true ? { blockKey: id } : {}) } };
}

/**
 * A file that mdmirror moved to `setAsideAt`, below `.mdmirror/`, from `path` in the linked folder.
 */
type SetAsideFile = { readonly setAsideAt: string; readonly path: LocalPath };

/** Reads a set-aside file. Returns the reason if its original path cannot be read. */
export function readSetAside(
  { world: { disk } }: CycleContext,
  { setAsideAt, path }: SetAsideFile,
):
  | { readonly aside: DiskOutcome<LocalText | null>; readonly atPath: Exclude<PathState, { kind: "unknown" }> }
  | { readonly why: string } {
  const pathState = disk.look(path);
  if (pathState.kind === "unknown") return { why: `its path cannot be read: ${pathState.why}` };
  return { aside: disk.readSetAside(setAsideAt, path), atPath: pathState };
}

/** Returns true if the original path is free, or if the set-aside file is at both paths. */
function mayPutBack(aside: DiskOutcome<LocalText | null>, atPath: PathState): boolean {
  if (atPath.kind === "absent") return aside.kind !== "done" || aside.value !== null;
  if (atPath.kind !== "file" || aside.kind !== "done" || aside.value === null) return false;
  return atPath.stamp.ino === aside.value.stamp.ino && atPath.stamp.dev === aside.value.stamp.dev;
}

export function putBack(
  ctx: CycleContext,
  { id, setAsideAt, path }: SetAsideFile & { readonly id: string },
  detail: string,
): EffectResult<never> {
  const reason = returnSetAside(ctx, setAsideAt, path);
  if (reason !== null) return leaveOpen(reason);
  return { kind: "over", outcome: DONE, change: { event: { kind: "recover", side: "local", id, path, detail } } };
}

/** Moves a set-aside file to a path beside its original path, where another file is now. */
export function moveBeside(
  ctx: CycleContext,
  row: SetAsideFile & { readonly id: string },
  why: string,
): EffectResult<never> {
  const { disk } = ctx.world;
  for (let number = 1; ; number++) {
    const path = makePathBeside(row.path, number, disk.names().maxNameBytes);
    const pathState = disk.look(path);
    if (pathState.kind === "absent")
      return putBack(ctx, { ...row, path }, `${why}, so mdmirror saved it beside the file`);
    // If one path beside the file is unreadable, all further paths may be unreadable for the same
    // reason.
    if (pathState.kind === "unknown")
      return leaveOpen(`mdmirror could not restore an edit: it cannot read the path beside the file: ${pathState.why}`);
  }
}

/**
 * Returns the path `note-late.md` for `note.md`. For a higher `number`, returns `note-late-2.md`
 * and so on.
 */
function makePathBeside(path: LocalPath, number: number, maxNameBytes: number): LocalPath {
  const stem = nameOf(path).replace(/\.md$/, "");
  const tail = `-late${number === 1 ? "" : `-${number}`}.md`;
  return joinPath(parentOf(path), `${cutToBytes(stem, maxNameBytes - tail.length)}${tail}`);
}

/**
 * Moves a set-aside file back.
 * @returns the reason if the move failed; null on success
 */
function returnSetAside(ctx: CycleContext, setAsideAt: string, path: LocalPath): string | null {
  const { disk } = ctx.world;
  const wasTaken = disk.look(path).kind !== "absent";
  const putBackOutcome = ensureFolders(ctx, path) ?? disk.putBack(setAsideAt, path);
  if (putBackOutcome.kind === "done" && !wasTaken) ctx.notes.returned.add(path);
  return putBackOutcome.kind === "done"
    ? null
    : `could not be restored: ${"detail" in putBackOutcome ? putBackOutcome.detail : putBackOutcome.kind}`;
}

/**
 * Returns true if `text` contains every change from the version `from` to the version `to`. Ignores
 * line ends, and white space at the end. Returns false if a version is unknown.
 */
export function containsChanges(ctx: CycleContext, from: Digest | null, to: Digest | null, text: string): boolean {
  const { state } = ctx.world;
  const textBefore = from === null ? null : state.text(from);
  const textAfter = to === null ? null : state.text(to);
  if (textBefore === null || textAfter === null) return false;
  const mergeResult = mergeText(textBefore, text, textAfter);
  return mergeResult.kind === "clean" && sameExceptTextForm(mergeResult.text, text);
}

export type FileRemoval = {
  readonly id: DocId;
  readonly path: LocalPath;
  readonly expect: Digest;
  /** Path of the file in the trash, below `.mdmirror/`. */
  readonly place: string;
  /** Returns the state change to commit when the file is in the trash. */
  readonly change: () => StateChange;
};

type TrashRow = Extract<Intent, { kind: "trash" }>;

/** Moves a file to the trash. After a crash before the commit, recovery moves the file back. */
export const trashFile: LocalEffect<FileRemoval, TrashRow, FileRemoval, StateChange> = {
  prepare(_, removal) {
    const { id, path, expect, place: setAsideAt } = removal;
    return withValue({ row: { kind: "trash", id, path, setAsideAt, expect }, input: removal });
  },

  perform(ctx, { path, setAsideAt }, { expect, change }) {
    const diskOutcome = ctx.world.disk.trash(path, expect, setAsideAt);
    if (diskOutcome.kind === "done") return { kind: "seen", seen: change() };
    // The journal row stays open only if the disk still has a file set aside. Recovery then
    // restores that file.
    return { kind: diskOutcome.isSetAside ? "open" : "over", outcome: outcomeOfDisk(diskOutcome) };
  },

  observe(ctx, row) {
    const setAsideState = readSetAside(ctx, row);
    if ("why" in setAsideState) return leaveOpen(setAsideState.why);
    const { aside, atPath } = setAsideState;
    if (mayPutBack(aside, atPath))
      return putBack(ctx, row, "mdmirror was interrupted while it removed the file; it restored the file");
    const { expect = null } = row;
    const isChanged = expect !== null && aside.kind === "done" && aside.value !== null && aside.value.digest !== expect;
    // An edit is newer than the deletion, so the file is kept (I06). After a restart of the
    // machine, the difference may be damage instead of an edit.
    return isChanged && !hasRestarted(ctx.world)
      ? moveBeside(ctx, row, "the file was edited while mdmirror removed it")
      : { kind: "over", outcome: DONE };
  },

  conclude(_ctx, _row, change) {
    return { outcome: DONE, change };
  },
};
