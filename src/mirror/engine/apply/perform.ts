import type { Action, ActionOf, Outcome } from "../../model/action.ts";
import { dropConflict, endConflict, checkConflict, renewConflict } from "./conflict-course.ts";
import { createLocal } from "./create-local.ts";
import { staleIfInUse } from "./effect.ts";
import { recordNewOnBothSides, writeLocal } from "./download.ts";
import {
  forgetFolder,
  makeFolderLocal,
  makeFolderRemote,
  removeFolderLocal,
  removeFolderRemote,
  recordFolder,
} from "./folder.ts";
import { moveFolderRemote } from "./folder-move.ts";
import { merge, settleReview } from "./merge.ts";
import { moveDocument } from "./move-document.ts";
import { moveLocal } from "./move-local.ts";
import { recordNewPaths } from "./place.ts";
import { deleteRemote, forgetDocument, updateRecordFlags, trashLocal } from "./presence.ts";
import { createRemote } from "./create-remote.ts";
import { putContent } from "./put.ts";
import { runEffect, runLocalEffect } from "./run-effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";

type PerformFunction<K extends Action["kind"]> = (ctx: CycleContext, action: ActionOf<K>) => Outcome | Promise<Outcome>;

const EFFECTS: { readonly [K in Action["kind"]]: PerformFunction<K> } = {
  "create-local": createLocal,
  // ORDER: `staleIfInUse` runs before the download, because the downloaded content could not be
  // written to a file in use. The write checks again whether the file is in use.
  "write-local": (ctx, action) => staleIfInUse(ctx, action) ?? writeLocal(ctx, action),
  "create-remote": (ctx, action) => runEffect(ctx, createRemote, action),
  put: (ctx, action) => runEffect(ctx, putContent, action),
  merge: (ctx, action) => staleIfInUse(ctx, action) ?? merge(ctx, action),
  meet: recordNewOnBothSides,
  "settle-review": settleReview,
  "trash-local": trashLocal,
  "delete-remote": deleteRemote,
  forget: forgetDocument,
  "note-facts": updateRecordFlags,
  "move-local": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move" }),
  "rename-remote": (ctx, action) => runEffect(ctx, moveDocument, action),
  "reparent-remote": (ctx, action) => runEffect(ctx, moveDocument, action),
  relink: recordNewPaths,
  "end-conflict": endConflict,
  "look-again": checkConflict,
  "renew-conflict": renewConflict,
  "move-conflict-copy": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move" }),
  "drop-conflict": (ctx, action) => runLocalEffect(ctx, dropConflict, action),
  "make-folder-local": makeFolderLocal,
  "make-folder-remote": (ctx, action) => runEffect(ctx, makeFolderRemote, action),
  "link-folder": (ctx, action) => recordFolder(ctx, action),
  "move-folder-local": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move-folder" }),
  "rename-folder-remote": (ctx, action) => runEffect(ctx, moveFolderRemote, action),
  "reparent-folder-remote": (ctx, action) => runEffect(ctx, moveFolderRemote, action),
  "remove-folder-local": removeFolderLocal,
  "remove-folder-remote": (ctx, action) => runEffect(ctx, removeFolderRemote, action),
  "forget-folder": (ctx, action) => forgetFolder(ctx, action),
};

export async function performAction(ctx: CycleContext, action: Action): Promise<Outcome> {
  return (EFFECTS[action.kind] as PerformFunction<Action["kind"]>)(ctx, action as never);
}
