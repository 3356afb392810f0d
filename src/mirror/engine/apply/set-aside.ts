/** Moves set-aside files (below `.mdmirror/`) back, beside their old path, or to the trash. */

import type { Digest } from "../../../contract/digest.ts";
import { cutToBytes, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import type { DiskOutcome, LocalText, PathState } from "../../ports/disk.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { hasRestarted } from "./cut-off.ts";
import { DONE, leaveOpen, withValue, outcomeOfDisk } from "./effect.ts";
import { ensureFolders, findFreePath, type FreePath } from "./parents.ts";
import type { EffectResult, LocalEffect } from "./run-effect.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { Intent } from "../../ports/state.ts";
import type { StateChange } from "./commit.ts";

type SetAsideFile = { readonly setAsideAt: string; readonly path: LocalPath };

/** Reads a set-aside file. Returns the reason if its original path cannot be read. */
export function readSetAside(
  { world: { disk } }: CycleContext,
  { setAsideAt, path }: SetAsideFile,
):
  | { readonly aside: DiskOutcome<LocalText | null>; readonly atPath: Exclude<PathState, { kind: "unknown" }> }
  | { readonly why: string } {
  const atPath = disk.look(path);
  if (atPath.kind === "unknown") return { why: `its path cannot be read: ${atPath.why}` };
  return { aside: disk.readSetAside(setAsideAt, path), atPath };
}

/** Returns true if the original path is free, or if the set-aside file is at both paths. */
export function mayPutBack(aside: DiskOutcome<LocalText | null>, atPath: PathState): boolean {
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
  const pathBeside = findPathBeside(ctx, row.path);
  if (pathBeside.kind === "unknown")
    return leaveOpen(`mdmirror could not restore an edit: it cannot read the path beside the file: ${pathBeside.why}`);
  return putBack(ctx, { ...row, path: pathBeside.path }, `${why}, so mdmirror saved it beside the file`);
}

/** Returns the first free path: `note-late.md` for `note.md`, then `note-late-2.md`. */
function findPathBeside({ world: { disk } }: CycleContext, path: LocalPath): FreePath {
  const stem = nameOf(path).replace(/\.md$/, "");
  return findFreePath(disk, (number) => {
    const tail = `-late${number === 1 ? "" : `-${number}`}.md`;
    return joinPath(parentOf(path), `${cutToBytes(stem, disk.names().maxNameBytes - tail.length)}${tail}`);
  });
}

/** Moves a set-aside file back. Returns the reason if the move failed; null on success. */
function returnSetAside(ctx: CycleContext, setAsideAt: string, path: LocalPath): string | null {
  const { disk } = ctx.world;
  const wasSeen = disk.look(path).kind !== "absent";
  const putBackOutcome = ensureFolders(ctx, path) ?? disk.putBack(setAsideAt, path);
  if (putBackOutcome.kind === "done" && !wasSeen) ctx.notes.returned.add(path);
  return putBackOutcome.kind === "done"
    ? null
    : `could not be restored: ${"detail" in putBackOutcome ? putBackOutcome.detail : putBackOutcome.kind}`;
}

/**
 * Returns true if `text` contains every change from one version to another. Ignores line ends, and
 * white space at the end. Returns false if a version is unknown.
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
  /** Destination of the file, below `.mdmirror/`. */
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
