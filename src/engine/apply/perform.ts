import type { Action, Outcome } from "../../model/action.ts";
import { dropConflict, endConflict, lookAgain, moveSidecar, renewConflict } from "./conflict-course.ts";
import { createLocal, meet, writeLocal } from "./download.ts";
import {
  forgetFolder,
  linkFolderBoth,
  makeFolderLocal,
  makeFolderRemote,
  removeFolderLocal,
  removeFolderRemote,
} from "./folder.ts";
import { moveFolderLocal, moveFolderRemote } from "./folder-move.ts";
import { merge, settleReview } from "./merge.ts";
import { moveLocal, moveRemote, relink } from "./place.ts";
import { deleteRemote, forget, noteFacts, trashLocal } from "./presence.ts";
import { createRemote } from "./create-remote.ts";
import { put } from "./put.ts";
import type { PassContext } from "../run/pass-context.ts";

/** One action, by its kind. A kind without an effect does not compile. */
export async function performAction(ctx: PassContext, action: Action): Promise<Outcome> {
  switch (action.kind) {
    case "create-local":
      return createLocal(ctx, action);
    case "write-local":
      return writeLocal(ctx, action);
    case "create-remote":
      return createRemote(ctx, action);
    case "put":
      return put(ctx, action);
    case "merge":
      return merge(ctx, action);
    case "meet":
      return meet(ctx, action);
    case "settle-review":
      return settleReview(ctx, action);
    case "trash-local":
      return trashLocal(ctx, action);
    case "delete-remote":
      return deleteRemote(ctx, action);
    case "forget":
      return forget(ctx, action);
    case "note-facts":
      return noteFacts(ctx, action);
    case "move-local":
      return moveLocal(ctx, action);
    case "rename-remote":
    case "reparent-remote":
      return moveRemote(ctx, action);
    case "relink":
      return relink(ctx, action);
    case "end-conflict":
      return endConflict(ctx, action);
    case "look-again":
      return lookAgain(ctx, action);
    case "renew-conflict":
      return renewConflict(ctx, action);
    case "move-sidecar":
      return moveSidecar(ctx, action);
    case "drop-conflict":
      return dropConflict(ctx, action);
    case "make-folder-local":
      return makeFolderLocal(ctx, action);
    case "make-folder-remote":
      return makeFolderRemote(ctx, action);
    case "link-folder":
      return linkFolderBoth(ctx, action);
    case "move-folder-local":
      return moveFolderLocal(ctx, action);
    case "rename-folder-remote":
    case "reparent-folder-remote":
      return moveFolderRemote(ctx, action);
    case "remove-folder-local":
      return removeFolderLocal(ctx, action);
    case "remove-folder-remote":
      return removeFolderRemote(ctx, action);
    case "forget-folder":
      return forgetFolder(ctx, action);
  }
}
