import type { Action } from "../../model/action.ts";
import { byPath } from "../../model/by-path.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type StopReason, MISSES_DOCUMENTS, type Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import type { Trees } from "../../model/tree.ts";
import { type ManualEnd, runManually } from "../../engine/manual/run-manually.ts";
import {
  restoreDeletedFile,
  restoreRemovedFolder,
  keepFolder,
  resendLocalContent,
  restoreConflictCopy,
  keepFileAsNew,
  restoreBaseContent,
} from "../../engine/manual/reject.ts";
import type { World } from "../../engine/run/world.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import type { RejectionKind } from "../results/stop.ts";
import { endOfManual, leftAsIs, type ManyEnd } from "./many.ts";

/** Undoes the changes that a safety check stopped: restores what was deleted or overwritten. */

export type RejectItem = { readonly path: LocalPath } & (
  | { readonly kind: RejectionKind; readonly undo: (ctx: PassContext) => ManualEnd | Promise<ManualEnd> }
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
      return [{ kind: "file-back", path: action.localPath, undo: (ctx) => restoreDeletedFile(ctx, action) }];
    case "trash-local": {
      const { localPath: path } = action;
      if (action.cause === "gone") return [{ kind: "stays-as-new", path, undo: (ctx) => keepFileAsNew(ctx, action) }];
      return [{ kind: "left", path, why: "it was moved out of the synced folder; move it back on the service" }];
    }
    case "end-conflict": {
      const path = base.links.get(action.id)?.localPath ?? action.localPath;
      return [{ kind: "other-version-back", path, undo: (ctx) => restoreConflictCopy(ctx, action.id) }];
    }
    case "remove-folder-remote":
      return [
        {
          kind: "folder-back",
          path: action.localPath,
          undo: (ctx) => restoreRemovedFolder(ctx, action.localPath),
        },
      ];
    case "remove-folder-local": {
      const { dirId, localPath: path } = action;
      return dirId === null ? [] : [{ kind: "folder-stays", path, undo: (ctx) => keepFolder(ctx, dirId) }];
    }
    default:
      return [];
  }
}

/** Returns the restore of a document whose content became empty, locally or on the service. */
function textOf(action: Action): RejectItem[] {
  if (!("empties" in action) || action.empties !== true) return [];
  const { localPath: path, id } = action;
  if (action.kind === "put") return [{ kind: "text-back", path, undo: (ctx) => restoreBaseContent(ctx, action) }];
  const { changeId } = action;
  return [{ kind: "newer-text-back", path, undo: (ctx) => resendLocalContent(ctx, id, changeId) }];
}

/** Returns documents of which the service shows an older version than the local one. */
function olderOnService(state: Pick<State, "isEarlier">, { base, remote }: Trees): RejectItem[] {
  return [...remote.files.values()].flatMap(({ id, changeId }): RejectItem[] => {
    const link = base.links.get(id);
    if (link === undefined || link.changeId === changeId || !state.isEarlier(id, changeId, link.changeId)) return [];
    const { localPath: path } = link;
    if (base.conflicts.has(id)) return [{ kind: "left", path, why: `it is in conflict: mdmirror resolve ${path}` }];
    return [{ kind: "newer-text-back", path, undo: (ctx) => resendLocalContent(ctx, id, changeId) }];
  });
}

/** Rejects each item separately: an item that cannot be restored does not stop the others. */
export async function rejectStop(world: World, items: readonly RejectItem[]): Promise<readonly ManyEnd[]> {
  const able = items.filter((item) => item.kind !== "left");
  const ends = await runManually(world, "reject", async (ctx) => {
    const done: ManualEnd[] = [];
    for (const item of able) done.push(await item.undo(ctx));
    return done;
  });
  // If another folder is at the root's path now, `ends` has one entry, which applies to all items.
  const byItem = new Map(able.map((item, index) => [item, endOfManual(item.path, ends[index] ?? ends[0]!)]));
  return items.map((item) => (item.kind === "left" ? leftAsIs(item.path, item.why) : byItem.get(item)!));
}
