import type { Row, DocumentRow, FolderRow } from "../match/row.ts";
import { baseFolderAt, baseRemoteFolderAt } from "../match/forest.ts";
import { once } from "../../model/once.ts";
import { depthOf, parentOf } from "../../model/path.ts";
import { absentPath } from "./absence.ts";
import { type PlanDraft, propose, proposeFolderLink, holdFolder } from "./plan-draft.ts";
import { isOnBoth } from "./place-folders.ts";
import { localWish, remoteWish } from "./places.ts";
import { isFolderStopped } from "./remembered.ts";

/**
 * Presence of folders. Decided after the documents', for it follows from them: a folder is where
 * something must be inside.
 */

/** Deepest first, so that what is kept below keeps what is above. */
export function settleFolders(draft: PlanDraft, heldInPlace: ReadonlySet<FolderRow>): void {
  const needs = { local: new Set<FolderRow>(), remote: new Set<FolderRow>(), unseen: new Set<FolderRow>() };
  const need = (row: Row): void => {
    for (const side of ["local", "remote"] as const) {
      const parent = row[side].goal?.parent;
      if (parent !== undefined) needs[side].add(parent);
    }
  };
  for (const document of draft.documents) {
    need(document);
    needUnseen(draft, document, needs);
  }
  for (const folder of draft.forest.folders) if (isOnBoth(folder)) need(folder);
  const occupied = once(() => occupiedFolders(draft));
  const needOf = (folder: FolderRow): Need => ({
    here: needs.local.has(folder),
    there: needs.remote.has(folder),
    mayBeThere: needs.unseen.has(folder),
  });
  const order = [...draft.forest.folders]
    .filter((folder) => !isOnBoth(folder))
    .sort((a, b) => deepness(b) - deepness(a) || a.key - b.key);
  for (const folder of order) {
    if (!heldInPlace.has(folder)) settleFolder(draft, folder, needOf(folder), occupied);
    need(folder);
  }
  for (const folder of draft.forest.folders) if (!heldInPlace.has(folder)) recordFolder(draft, folder);
}

/**
 * Whether a folder has something in it by this plan; `mayBeThere`: something that the service did
 * not show, which keeps a folder and is no reason to make one.
 */
type Need = { readonly here: boolean; readonly there: boolean; readonly mayBeThere: boolean };

/** What could not be seen is taken to be where it was. */
function needUnseen(draft: PlanDraft, document: DocumentRow, needs: Record<"local" | "unseen", Set<FolderRow>>): void {
  const { link } = document;
  if (link === null) return;
  const { localPath, remotePath } = link;
  if (document.local.seen.kind === "unknown")
    needs.local.add(baseFolderAt(draft.forest, parentOf(localPath), parentOf(remotePath)));
  if (document.remote.seen.kind === "unseen")
    needs.unseen.add(baseRemoteFolderAt(draft.forest, parentOf(remotePath), parentOf(localPath)));
}

function deepness(folder: FolderRow): number {
  return Math.max(depthOf(folder.localPath ?? ""), depthOf(folder.remotePath ?? ""));
}

function settleFolder(draft: PlanDraft, folder: FolderRow, need: Need, occupied: () => Occupied): void {
  if (folder === draft.forest.root || folder.localSeen === "unknown") return;
  const onDisk = folder.localPath !== null;
  const onService = folder.remotePath !== null;
  if (onDisk && !onService) {
    settleLocalOnly(draft, folder, need, occupied);
    return;
  }
  if (!onDisk && onService) {
    settleRemoteOnly(draft, folder, need);
    return;
  }
  if (!onDisk && !onService && folder.link !== null) forgetFolder(draft, folder);
}

/** New here, or gone from the service. */
function settleLocalOnly(draft: PlanDraft, folder: FolderRow, need: Need, occupied: () => Occupied): void {
  const { link } = folder;
  // It may be there, with what was in it: made now, it would be made twice, or refused in each pass
  // that sees so little (I08).
  if (need.mayBeThere && !need.there) return;
  const path = folder.localPath!;
  const foreign = occupied().foreign.has(path);
  const empty = !foreign && !occupied().mirrored.has(path);
  if (folder.vacated && !need.there) {
    if (foreign || need.here || draft.quietFolders().local.has(path)) return;
    folder.local.goal = null;
    const why = "what was in it is in the folder that the service has";
    propose(draft, folder, "leave-local", (at) => ({
      kind: "remove-folder-local",
      why,
      dirId: null,
      localPath: at.local,
    }));
    return;
  }
  if (link !== null && !need.there) {
    const leaves = folder.remoteSeen === "gone" && !foreign && !need.here && !draft.quietFolders().local.has(path);
    if (!leaves || draft.policy.direction === "push-only") {
      forgetFolder(draft, folder);
      return;
    }
    folder.local.goal = null;
    propose(draft, folder, "leave-local", (at) => ({
      kind: "remove-folder-local",
      why: "gone from the service",
      dirId: link.id,
      localPath: at.local,
    }));
    return;
  }
  const wish = remoteWish(draft, folder);
  if (wish.kind === "barred") {
    if (!foreign || need.there) holdFolder(draft, folder, wish.reason, wish.detail);
    return;
  }
  if (!need.there && !empty) return;
  // An earlier POST of this folder, of which no read has told yet (I08).
  const open = draft.trees.local.unseen.get(path);
  if (open !== undefined) {
    holdFolder(draft, folder, "not-seen", open);
    return;
  }
  if (draft.policy.direction === "pull-only" || isFolderStopped(draft, path, "make")) return;
  if (link !== null) forgetFolder(draft, folder);
  folder.remote.goal = wish.place;
  const why = link === null ? "new here" : "gone from the service, but needed for what is new inside";
  propose(draft, folder, "arrive-remote", (at) => ({
    kind: "make-folder-remote",
    why,
    localPath: at.local,
    remotePath: at.remote,
  }));
}

/** New on the service, or deleted here. */
function settleRemoteOnly(draft: PlanDraft, folder: FolderRow, need: Need): void {
  const { link, dirId } = folder;
  if (link !== null && !need.here) {
    if (need.there || need.mayBeThere || dirId === null || draft.policy.direction === "pull-only") return;
    if (draft.quietFolders().remote.has(folder.remotePath!) || isFolderStopped(draft, dirId, "remove")) return;
    folder.remote.goal = null;
    propose(draft, folder, "leave-remote", (at) => ({
      kind: "remove-folder-remote",
      why: "deleted here",
      dirId,
      localPath: absentPath(draft, folder),
      remotePath: at.remote,
    }));
    return;
  }
  // A folder that no listing shows comes with what is inside.
  if (!need.here && dirId === null) return;
  const wish = localWish(draft, folder);
  if (wish.kind === "barred") {
    if (wish.reason !== "suspended") holdFolder(draft, folder, wish.reason, wish.detail);
    return;
  }
  if (draft.policy.direction === "push-only") return;
  folder.local.goal = wish.place;
  if (dirId === null) return;
  const why = link === null ? "new on the service" : "deleted here, but needed for what is inside";
  propose(draft, folder, "arrive-local", (at) => ({
    kind: "make-folder-local",
    why,
    dirId,
    localPath: at.local,
    remotePath: at.remote,
  }));
}

function forgetFolder(draft: PlanDraft, folder: FolderRow): void {
  const dirId = folder.replaced ?? folder.link!.id;
  propose(draft, folder, "before", () => ({ kind: "forget-folder", why: "gone from the service", dirId }));
}

/**
 * What both sides hold and base does not know, or knows elsewhere, is written down after the moves.
 */
function recordFolder(draft: PlanDraft, folder: FolderRow): void {
  const { dirId } = folder;
  if (dirId === null || !isOnBoth(folder) || folder === draft.forest.root) return;
  if (folder.replaced !== null) forgetFolder(draft, folder);
  const isNew = folder.link === null || folder.replaced !== null;
  if (!isNew && !folder.rehoused && !draft.whys.has(folder)) return;
  const why = draft.whys.get(folder) ?? "on both sides";
  // What is in the folder that it was merged from is still there, and recorded as it moves.
  proposeFolderLink(draft, folder, { dirId, why, carries: folder.merged ? [] : null });
}

type Occupied = { readonly mirrored: ReadonlySet<string>; readonly foreign: ReadonlySet<string> };

/**
 * Folders on disk that hold something: mirrored files and folders, or things the mirror leaves
 * alone (litter does not count).
 */
function occupiedFolders(draft: PlanDraft): Occupied {
  const mirrored = new Set<string>();
  const foreign = new Set<string>();
  const { files, folders, others } = draft.trees.local;
  for (const path of files.keys()) mirrored.add(parentOf(path));
  for (const path of folders.keys()) mirrored.add(parentOf(path));
  for (const other of others.values()) if (other.kind !== "litter") foreign.add(parentOf(other.path));
  return { mirrored, foreign };
}
