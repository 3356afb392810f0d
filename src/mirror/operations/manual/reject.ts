import type { ChangeId, DirId, DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type StopReason, MISSES_DOCUMENTS, type Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import type { Trees } from "../../model/tree.ts";
import { type ManualEnd, notDone, runManually } from "../../engine/manual/run-manually.ts";
import { stale } from "../../engine/apply/effect.ts";
import {
  fileBack,
  folderBack,
  folderStays,
  newerTextBack,
  otherVersionBack,
  staysAsNew,
  textBack,
} from "../../engine/manual/reject.ts";
import type { World } from "../../engine/run/world.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { isDone } from "./resolve.ts";
import { byPath } from "../../model/by-path.ts";

/** Undoes the changes that a safety check stopped: restores what was deleted or overwritten. */

export type RejectItem = { readonly path: LocalPath } & (
  | { readonly kind: "file-back"; readonly action: Extract<Action, { kind: "delete-remote" }> }
  | { readonly kind: "folder-back" }
  | { readonly kind: "folder-stays"; readonly dirId: DirId }
  | { readonly kind: "stays-as-new"; readonly action: Extract<Action, { kind: "trash-local" }> }
  | { readonly kind: "other-version-back"; readonly id: DocId }
  | { readonly kind: "text-back"; readonly action: Extract<Action, { kind: "put" }> }
  | { readonly kind: "newer-text-back"; readonly id: DocId; readonly changeId: ChangeId }
  | { readonly kind: "left"; readonly why: string }
);

/**
 * Plans a rejection.
 * @param reasons of the stop; a reason with nothing to restore gives no item
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
      ? [...olderThere(state, trees), ...steps.flatMap(({ action }) => itemOf(action, trees))]
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
      return [{ kind: "file-back", path: action.localPath, action }];
    case "trash-local":
      if (action.cause === "gone") return [{ kind: "stays-as-new", path: action.localPath, action }];
      return [
        {
          kind: "left",
          path: action.localPath,
          why: "it was moved out of the synced folder; move it back on the service",
        },
      ];
    case "end-conflict":
      return [
        { kind: "other-version-back", path: base.links.get(action.id)?.localPath ?? action.localPath, id: action.id },
      ];
    case "remove-folder-remote":
      return [{ kind: "folder-back", path: action.localPath }];
    case "remove-folder-local":
      return action.dirId === null ? [] : [{ kind: "folder-stays", path: action.localPath, dirId: action.dirId }];
    default:
      return [];
  }
}

/** Returns the restore of a document whose content became empty, locally or on the service. */
function textOf(action: Action): RejectItem[] {
  if (!("empties" in action) || action.empties !== true) return [];
  const { localPath: path, id } = action;
  if (action.kind === "put") return [{ kind: "text-back", path, action }];
  return [{ kind: "newer-text-back", path, id, changeId: action.changeId }];
}

/** Returns documents of which the service shows an older version than the local one. */
function olderThere(state: Pick<State, "isEarlier">, { base, remote }: Trees): RejectItem[] {
  return [...remote.files.values()].flatMap(({ id, changeId }): RejectItem[] => {
    const link = base.links.get(id);
    if (link === undefined || link.changeId === changeId || !state.isEarlier(id, changeId, link.changeId)) return [];
    const { localPath: path } = link;
    if (base.conflicts.has(id)) return [{ kind: "left", path, why: `it is in conflict: mdmirror resolve ${path}` }];
    return [{ kind: "newer-text-back", path, id, changeId }];
  });
}

export type RejectEnd = { readonly item: RejectItem; readonly done: boolean; readonly note: string };

/**
 * Rejects each item separately: an item that cannot be restored is reported and does not stop the
 * others.
 */
export async function rejectStop(world: World, items: readonly RejectItem[]): Promise<readonly RejectEnd[]> {
  const ends = await runManually(world, "reject", async (ctx) => {
    const done: ManualEnd[] = [];
    for (const item of items) done.push(await bringBack(ctx, item));
    return done;
  });
  // If another folder is at the root's path now, `ends` has one entry, which applies to all items.
  return items.map((item, index) => {
    const end = ends[index] ?? ends[0]!;
    const isOver = isDone(end);
    return {
      item,
      done: isOver,
      note: isOver ? end.notes.join("; ") : "detail" in end.outcome ? end.outcome.detail : "",
    };
  });
}

async function bringBack(ctx: PassContext, item: RejectItem): Promise<ManualEnd> {
  switch (item.kind) {
    case "file-back":
      return fileBack(ctx, item.action);
    case "folder-back":
      return folderBack(ctx, item.path);
    case "folder-stays":
      return folderStays(ctx, item.dirId);
    case "stays-as-new":
      return staysAsNew(ctx, item.action);
    case "other-version-back":
      return otherVersionBack(ctx, item.id);
    case "text-back":
      return textBack(ctx, item.action);
    case "newer-text-back":
      return newerTextBack(ctx, item.id, item.changeId);
    case "left":
      return notDone(stale(item.why));
  }
}
