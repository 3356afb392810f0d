import type { Action } from "../../model/action.ts";
import { byPath } from "../../model/by-path.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type StopReason, MISSES_DOCUMENTS, type Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import type { Trees } from "../../model/tree.ts";
import {
  restoreDeletedFile,
  restoreRemovedFolder,
  keepFolder,
  resendLocalContent,
  restoreConflictCopy,
  keepFileAsNew,
  restoreBaseContent,
} from "../../engine/manual/reject.ts";
import type { REJECT } from "../declared/stop.ts";
import type { ResultOf } from "../define.ts";
import { REJECTION_WORDS, type RejectionKind } from "../results/stop.ts";
import { leftRow, type PlanItem, plannedRow } from "./many.ts";

/** Undoes the changes that a safety check stopped: restores what was deleted or overwritten. */

export type RejectItem = PlanItem<ResultOf<typeof REJECT>["items"][number]> & {
  readonly path: LocalPath;
  readonly kind: RejectionKind | "left";
};

function rejection(kind: RejectionKind, path: LocalPath, act: NonNullable<RejectItem["act"]>): RejectItem {
  return { kind, path, row: { ...plannedRow(path), what: REJECTION_WORDS[kind] }, act };
}

function leftAlone(path: LocalPath, why: string): RejectItem {
  return { kind: "left", path, row: { ...leftRow(path, why), what: "left alone" }, act: null };
}

/**
 * Plans a rejection.
 * @param reasons reasons of the stop; a reason with nothing to restore gives no item
 */
export function planRejection(
  state: Pick<State, "isEarlier">,
  plan: Plan,
  trees: Trees,
  reasons: readonly StopReason[],
): RejectItem[] {
  const { verdict, steps } = plan;
  if (verdict.kind === "run") return [];
  const items = verdict.byReason
    ? reasons.every((reason) => MISSES_DOCUMENTS.has(reason))
      ? [...olderOnService(state, trees), ...steps.flatMap(({ action }) => itemOf(action, trees))]
      : []
    : verdict.stoppedSteps.flatMap((index) => {
        const { action } = steps[index]!;
        return [...itemOf(action, trees), ...textOf(action)];
      });
  return items.toSorted(byPath);
}

function itemOf(action: Action, { base }: Trees): RejectItem[] {
  switch (action.kind) {
    case "delete-remote":
      return [rejection("file-back", action.localPath, (ctx) => restoreDeletedFile(ctx, action))];
    case "trash-local": {
      const { localPath: path } = action;
      if (action.cause === "gone") return [rejection("stays-as-new", path, (ctx) => keepFileAsNew(ctx, action))];
      return [leftAlone(path, "it was moved out of the synced folder; move it back on the service")];
    }
    case "end-conflict": {
      const path = base.links.get(action.id)?.localPath ?? action.localPath;
      return [rejection("other-version-back", path, (ctx) => restoreConflictCopy(ctx, action.id))];
    }
    case "remove-folder-remote":
      return [rejection("folder-back", action.localPath, (ctx) => restoreRemovedFolder(ctx, action.localPath))];
    case "remove-folder-local": {
      const { dirId, localPath: path } = action;
      return dirId === null ? [] : [rejection("folder-stays", path, (ctx) => keepFolder(ctx, dirId))];
    }
    default:
      return [];
  }
}

/** Returns the restore of a document whose content became empty, locally or on the service. */
function textOf(action: Action): RejectItem[] {
  if (!("empties" in action) || action.empties !== true) return [];
  const { localPath: path, id } = action;
  if (action.kind === "put") return [rejection("text-back", path, (ctx) => restoreBaseContent(ctx, action))];
  const { changeId } = action;
  return [rejection("newer-text-back", path, (ctx) => resendLocalContent(ctx, id, changeId))];
}

/** Returns documents of which the service shows an older version than the local one. */
function olderOnService(state: Pick<State, "isEarlier">, { base, remote }: Trees): RejectItem[] {
  return [...remote.files.values()].flatMap(({ id, changeId }): RejectItem[] => {
    const link = base.links.get(id);
    if (link === undefined || link.changeId === changeId || !state.isEarlier(id, changeId, link.changeId)) return [];
    const { localPath: path } = link;
    if (base.conflicts.has(id)) return [leftAlone(path, `it is in conflict: mdmirror resolve ${path}`)];
    return [rejection("newer-text-back", path, (ctx) => resendLocalContent(ctx, id, changeId))];
  });
}
