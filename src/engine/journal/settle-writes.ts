import type { Outcome } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { createRemote } from "../apply/create-remote.ts";
import { deleteDocument } from "../apply/delete-document.ts";
import { makeFolderRemote, removeFolderRemote } from "../apply/folder.ts";
import { moveFolderRemote } from "../apply/folder-move.ts";
import { moveDocument } from "../apply/move-document.ts";
import { putText } from "../apply/put.ts";
import { readCreated } from "../apply/read-created.ts";
import { recoverEffect } from "../apply/run-effect.ts";
import type { PassContext } from "../run/pass-context.ts";

type RemoteIntent = Exclude<
  Intent,
  { kind: "replace" | "trash" | "move" | "move-folder" | "conflict-copy" | "set-aside" }
>;

/**
 * Settles a write whose end is not known by a read (I08).
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
      return recoverEffect(ctx, moveFolderRemote, intentId, intent, fault);
    case "delete-folder":
      return recoverEffect(ctx, removeFolderRemote, intentId, intent, fault);
    case "post-folder":
      return recoverEffect(ctx, makeFolderRemote, intentId, intent, fault);
  }
}
