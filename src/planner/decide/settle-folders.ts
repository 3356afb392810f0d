import type { AnyBody, DocumentBody, FolderBody } from "../match/body.ts";
import { baseFolderAt, baseRemoteFolderAt } from "../match/forest.ts";
import { once } from "../../model/once.ts";
import { depthOf, parentOf } from "../../model/path.ts";
import { absentPath } from "./absence.ts";
import { type Desk, draft, draftFolderLink, holdFolder } from "./desk.ts";
import { isOnBoth } from "./place-folders.ts";
import { localWish, remoteWish } from "./places.ts";
import { isFolderStopped } from "./remembered.ts";

/**
 * Presence of folders. Decided after the documents', for it follows from them: a folder is where
 * something must be inside.
 */

/** Deepest first, so that what is kept below keeps what is above. */
export function settleFolders(desk: Desk, pinned: ReadonlySet<FolderBody>): void {
  const needs = { local: new Set<FolderBody>(), remote: new Set<FolderBody>(), unseen: new Set<FolderBody>() };
  const need = (body: AnyBody): void => {
    for (const side of ["local", "remote"] as const) {
      const parent = body[side].goal?.parent;
      if (parent !== undefined) needs[side].add(parent);
    }
  };
  for (const document of desk.documents) {
    need(document);
    needUnseen(desk, document, needs);
  }
  for (const folder of desk.forest.folders) if (isOnBoth(folder)) need(folder);
  const occupied = once(() => occupiedFolders(desk));
  const needOf = (folder: FolderBody): Need => ({
    here: needs.local.has(folder),
    there: needs.remote.has(folder),
    mayBeThere: needs.unseen.has(folder),
  });
  const order = [...desk.forest.folders]
    .filter((folder) => !isOnBoth(folder))
    .sort((a, b) => deepness(b) - deepness(a) || a.key - b.key);
  for (const folder of order) {
    if (!pinned.has(folder)) settleFolder(desk, folder, needOf(folder), occupied);
    need(folder);
  }
  for (const folder of desk.forest.folders) if (!pinned.has(folder)) recordFolder(desk, folder);
}

/**
 * Whether a folder has something in it by this plan; `mayBeThere`: something that the service did
 * not show, which keeps a folder and is no reason to make one.
 */
type Need = { readonly here: boolean; readonly there: boolean; readonly mayBeThere: boolean };

/** What could not be seen is taken to be where it was. */
function needUnseen(desk: Desk, document: DocumentBody, needs: Record<"local" | "unseen", Set<FolderBody>>): void {
  const { link } = document;
  if (link === null) return;
  const { localPath, remotePath } = link;
  if (document.local.seen.kind === "unknown")
    needs.local.add(baseFolderAt(desk.forest, parentOf(localPath), parentOf(remotePath)));
  if (document.remote.seen.kind === "unseen")
    needs.unseen.add(baseRemoteFolderAt(desk.forest, parentOf(remotePath), parentOf(localPath)));
}

function deepness(folder: FolderBody): number {
  return Math.max(depthOf(folder.localPath ?? ""), depthOf(folder.remotePath ?? ""));
}

function settleFolder(desk: Desk, folder: FolderBody, need: Need, occupied: () => Occupied): void {
  if (folder === desk.forest.root || folder.localSeen === "unknown") return;
  const onDisk = folder.localPath !== null;
  const onService = folder.remotePath !== null;
  if (onDisk && !onService) {
    settleLocalOnly(desk, folder, need, occupied);
    return;
  }
  if (!onDisk && onService) {
    settleRemoteOnly(desk, folder, need);
    return;
  }
  if (!onDisk && !onService && folder.link !== null) forgetFolder(desk, folder);
}

/** New here, or gone from the service. */
function settleLocalOnly(desk: Desk, folder: FolderBody, need: Need, occupied: () => Occupied): void {
  const { link } = folder;
  // It may be there, with what was in it: made now, it would be made twice, or refused in each pass
  // that sees so little (I08).
  if (need.mayBeThere && !need.there) return;
  const path = folder.localPath!;
  const foreign = occupied().foreign.has(path);
  const empty = !foreign && !occupied().mirrored.has(path);
  if (folder.vacated && !need.there) {
    if (foreign || need.here || desk.quietFolders().local.has(path)) return;
    folder.local.goal = null;
    const why = "what was in it is in the folder that the service has";
    draft(desk, folder, "leave-local", (at) => ({
      kind: "remove-folder-local",
      why,
      dirId: null,
      localPath: at.local,
    }));
    return;
  }
  if (link !== null && !need.there) {
    const leaves = folder.remoteSeen === "gone" && !foreign && !need.here && !desk.quietFolders().local.has(path);
    if (!leaves || desk.policy.direction === "push-only") {
      forgetFolder(desk, folder);
      return;
    }
    folder.local.goal = null;
    draft(desk, folder, "leave-local", (at) => ({
      kind: "remove-folder-local",
      why: "gone from the service",
      dirId: link.id,
      localPath: at.local,
    }));
    return;
  }
  const wish = remoteWish(desk, folder);
  if (wish.kind === "barred") {
    if (!foreign || need.there) holdFolder(desk, folder, wish.reason, wish.detail);
    return;
  }
  if (!need.there && !empty) return;
  // An earlier POST of this folder, of which no read has told yet (I08).
  const open = desk.trees.local.unseen.get(path);
  if (open !== undefined) {
    holdFolder(desk, folder, "not-seen", open);
    return;
  }
  if (desk.policy.direction === "pull-only" || isFolderStopped(desk, path, "make")) return;
  if (link !== null) forgetFolder(desk, folder);
  folder.remote.goal = wish.place;
  const why = link === null ? "new here" : "gone from the service, but needed for what is new inside";
  draft(desk, folder, "arrive-remote", (at) => ({
    kind: "make-folder-remote",
    why,
    localPath: at.local,
    remotePath: at.remote,
  }));
}

/** New on the service, or deleted here. */
function settleRemoteOnly(desk: Desk, folder: FolderBody, need: Need): void {
  const { link, dirId } = folder;
  if (link !== null && !need.here) {
    if (need.there || need.mayBeThere || dirId === null || desk.policy.direction === "pull-only") return;
    if (desk.quietFolders().remote.has(folder.remotePath!) || isFolderStopped(desk, dirId, "remove")) return;
    folder.remote.goal = null;
    draft(desk, folder, "leave-remote", (at) => ({
      kind: "remove-folder-remote",
      why: "deleted here",
      dirId,
      localPath: absentPath(desk, folder),
      remotePath: at.remote,
    }));
    return;
  }
  // A folder that no listing shows comes with what is inside.
  if (!need.here && dirId === null) return;
  const wish = localWish(desk, folder);
  if (wish.kind === "barred") {
    if (wish.reason !== "suspended") holdFolder(desk, folder, wish.reason, wish.detail);
    return;
  }
  if (desk.policy.direction === "push-only") return;
  folder.local.goal = wish.place;
  if (dirId === null) return;
  const why = link === null ? "new on the service" : "deleted here, but needed for what is inside";
  draft(desk, folder, "arrive-local", (at) => ({
    kind: "make-folder-local",
    why,
    dirId,
    localPath: at.local,
    remotePath: at.remote,
  }));
}

function forgetFolder(desk: Desk, folder: FolderBody): void {
  const dirId = folder.replaced ?? folder.link!.id;
  draft(desk, folder, "before", () => ({ kind: "forget-folder", why: "gone from the service", dirId }));
}

/**
 * What both sides hold and base does not know, or knows elsewhere, is written down after the moves.
 */
function recordFolder(desk: Desk, folder: FolderBody): void {
  const { dirId } = folder;
  if (dirId === null || !isOnBoth(folder) || folder === desk.forest.root) return;
  if (folder.replaced !== null) forgetFolder(desk, folder);
  const isNew = folder.link === null || folder.replaced !== null;
  if (!isNew && !folder.rehoused && !desk.whys.has(folder)) return;
  const why = desk.whys.get(folder) ?? "on both sides";
  // What is in the folder that it was merged from is still there, and recorded as it moves.
  draftFolderLink(desk, folder, { dirId, why, carries: folder.merged ? [] : null });
}

type Occupied = { readonly mirrored: ReadonlySet<string>; readonly foreign: ReadonlySet<string> };

/**
 * Folders on disk that hold something: mirrored files and folders, or things the mirror leaves
 * alone (litter does not count).
 */
function occupiedFolders(desk: Desk): Occupied {
  const mirrored = new Set<string>();
  const foreign = new Set<string>();
  const { files, folders, others } = desk.trees.local;
  for (const path of files.keys()) mirrored.add(parentOf(path));
  for (const path of folders.keys()) mirrored.add(parentOf(path));
  for (const other of others.values()) if (other.kind !== "litter") foreign.add(parentOf(other.path));
  return { mirrored, foreign };
}
