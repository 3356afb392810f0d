import type { DirId } from "../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { createRemote } from "../apply/create-remote.ts";
import { deleteDocument } from "../apply/delete-document.ts";
import { DONE } from "../apply/effect.ts";
import { moveDocument } from "../apply/move-document.ts";
import { recoverEffect } from "../apply/run-effect.ts";
import { putText } from "../apply/put.ts";
import { readCreated } from "../apply/read-created.ts";
import { isMovedBack, noteFolderBack } from "../apply/moved-back.ts";
import { didNotHappen, notSettledBy, type Settled } from "../apply/unsettled.ts";
import { toService, type World } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Settles writes whose outcome is not known by a read (I08): after no answer, a lost connection, a
 * 5xx or a crash. `Settled` says how each may end.
 */

type RemoteIntent = Exclude<Intent, { kind: "replace" | "trash" | "move" | "move-folder" | "sidecar" | "parked" }>;

type FolderIntent = Extract<Intent, { kind: "patch-folder" | "delete-folder" | "post-folder" }>;

/**
 * Asks for the folder itself: this pass's listing may fail, and base would move only by a listing.
 */
async function settleFolder(
  ctx: PassContext,
  intentId: number,
  intent: FolderIntent,
  fault: Fault | null,
): Promise<Settled> {
  const { remote, state } = ctx.world;
  const path = intent.kind === "patch-folder" ? intent.to : intent.remotePath;
  const found = await remote.findFolder(toService(ctx.world, path));
  if (!found.ok) return notSettledBy(found.fault);
  const isBack = intent.kind === "patch-folder" && isMovedBack(ctx.world, intent);
  return state.transact(() => {
    state.closeIntent(intentId);
    const hasHappened = learnFolder(state, intent, found.value?.id ?? null);
    if (isBack) noteFolderBack(ctx.world, intent);
    return hasHappened ? DONE : didNotHappen(FOLDER_WRITES[intent.kind], fault);
  });
}

const FOLDER_WRITES = { "patch-folder": "move", "delete-folder": "deletion", "post-folder": "write" } as const;

/**
 * Moves base if the write has happened.
 * @param found what is now at the place that the intent names
 * @returns whether it has; of a new folder, the next list tells base
 */
function learnFolder(state: World["state"], intent: FolderIntent, found: DirId | null): boolean {
  switch (intent.kind) {
    case "patch-folder":
      if (found !== intent.dirId) return false;
      state.moveSubtree("remote", intent.from, intent.to);
      return true;
    case "delete-folder":
      if (found === intent.dirId) return false;
      state.removeDir(intent.dirId);
      return true;
    case "post-folder":
      return found !== null;
  }
}

/**
 * Settles one open intent.
 * @param fault of its request; null: it is of an earlier run, or of a crash
 */
export async function settleIntent(
  ctx: PassContext,
  intentId: number,
  intent: RemoteIntent,
  fault: Fault | null,
): Promise<Outcome> {
  switch (intent.kind) {
    case "put":
      return recoverEffect(ctx, putText, intentId, intent, fault);
    case "post":
      return recoverEffect(ctx, createRemote, intentId, intent, fault);
    case "read-back":
      return recoverEffect(ctx, readCreated, intentId, intent, fault);
    case "patch":
      return recoverEffect(ctx, moveDocument, intentId, intent, fault);
    case "delete":
      return recoverEffect(ctx, deleteDocument, intentId, intent, fault);
    case "patch-folder":
    case "delete-folder":
    case "post-folder":
      return settleFolder(ctx, intentId, intent, fault);
  }
}
