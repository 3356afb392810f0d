import type { DocId } from "../../contract/ids.ts";
import type { Drift } from "../drift/drift.ts";
import type { Link } from "../../model/link.ts";
import type { DocumentBody, FolderBody } from "../match/body.ts";
import { baseRemoteFolderAt } from "../match/forest.ts";
import { parentOf } from "../../model/path.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { absentPath } from "./absence.ts";
import { type Desk, draft, holdDocument } from "./desk.ts";
import { isDirectionOff, isTextHeld, needsSecondLook } from "./gates.ts";
import { localWish, remoteWish } from "./places.ts";
import { isStopped, keepUnmet } from "./remembered.ts";
import { DELETED_RULES } from "./table.ts";

/** Makes a document on disk, where the service has it. */
export function createHere(desk: Desk, body: DocumentBody, there: RemoteFile, why: string): void {
  const wish = localWish(desk, body);
  if (wish.kind === "barred") {
    // What the ignore rules exclude and was never here is simply not mirrored.
    if (wish.reason !== "suspended" || body.link !== null) holdDocument(desk, body, wish.reason, wish.detail);
    return;
  }
  if (isDirectionOff(desk, body, "push-only", why) || isStopped(desk, body, "pull")) return;
  body.local.goal = wish.place;
  draft(desk, body, "arrive-local", (at) => ({
    kind: "create-local",
    why,
    id: there.id,
    localPath: at.local,
    remotePath: at.remote,
    changeId: there.changeId,
  }));
}

/** A deletion here that loses: the file comes back, at the place that the service has it. */
export function bringBack(desk: Desk, body: DocumentBody, there: RemoteFile, why: string): void {
  createHere(desk, body, there, why);
}

export function deleteThere(desk: Desk, body: DocumentBody, there: RemoteFile, drift: Drift): void {
  if (DELETED_RULES[drift.place] === "come-back") {
    bringBack(desk, body, there, "moved on the service after it was deleted here");
    return;
  }
  const link = body.link!;
  if (needsSecondLook(desk, body, link)) return;
  if (isDirectionOff(desk, body, "pull-only", "deleted here")) return;
  const refusal = there.protected
    ? (["file_protected", "protected on the service"] as const)
    : link.submissions.length > 0
      ? (["changes_in_review", "in review on the service"] as const)
      : null;
  if (refusal !== null) {
    const [code, detail] = refusal;
    holdDocument(desk, body, "delete-refused", `${detail}: it cannot be deleted`, { code, changeId: there.changeId });
    bringBack(desk, body, there, detail);
    return;
  }
  if (isStopped(desk, body, "delete")) {
    bringBack(desk, body, there, "the service refused to delete it");
    return;
  }
  body.remote.goal = null;
  draft(desk, body, "leave-remote", (at) => ({
    kind: "delete-remote",
    why: "deleted here",
    id: link.id,
    localPath: absentPath(desk, body),
    remotePath: at.remote,
    changeId: there.changeId,
  }));
}

export function trash(desk: Desk, body: DocumentBody, here: LocalFile, cause: "gone" | "outside"): void {
  const why = cause === "gone" ? "gone from the service" : "moved out of the mirrored subtree";
  if (isDirectionOff(desk, body, "push-only", why) || isStopped(desk, body, "trash")) return;
  body.local.goal = null;
  const link = body.link!;
  draft(desk, body, "leave-local", (at) => ({
    kind: "trash-local",
    why,
    id: link.id,
    localPath: at.local,
    expect: here.digest,
    cause,
  }));
}

export function forget(desk: Desk, body: DocumentBody): void {
  const link = body.link!;
  draft(desk, body, "note", () => ({
    kind: "forget",
    why: "gone on both sides",
    id: link.id,
    localPath: link.localPath,
  }));
}

/**
 * The document left the mirrored subtree: its unchanged text goes to the trash, an edited one is
 * held. Never POST, never DELETE.
 */
export function leaveSubtree(desk: Desk, body: DocumentBody, here: LocalFile, drift: Drift): void {
  if (drift.local === "unchanged") {
    trash(desk, body, here, "outside");
    return;
  }
  const link = body.link!;
  if (link.standing !== "outside")
    draft(desk, body, "note", () => ({
      kind: "note-facts",
      why: "moved out of the mirrored subtree",
      id: link.id,
      protected: link.protected,
      standing: "outside",
    }));
  holdDocument(desk, body, "outside", "moved out of the mirrored subtree, and edited here", { digest: here.digest });
}

export function post(desk: Desk, body: DocumentBody, here: LocalFile): void {
  createThere(desk, body, here, null, "new here");
}

/**
 * Deleted there, edited here: the edit wins as a new document, if what was around the old one is
 * still readable (else the key may have lost sight of it).
 */
export function postAsNew(desk: Desk, body: DocumentBody, link: Link, here: LocalFile): void {
  // What was answered with the base's own text, or only waits for review, is no text to bring back
  // by itself.
  if (here.digest === link.echoDigest) {
    trash(desk, body, here, "gone");
    return;
  }
  const folder = baseRemoteFolderAt(desk.forest, parentOf(link.remotePath), parentOf(link.localPath));
  if (link.submissions.length > 0 || !isReadable(desk, folder)) {
    const detail = "edited here; deleted on the service, or no longer readable with this key";
    holdDocument(desk, body, "gone-or-unreadable", detail, { digest: here.digest });
    return;
  }
  if (!createThere(desk, body, here, link.id, "edited here after it was deleted on the service")) return;
  // ORDER: the old link ends before the new document takes its file.
  draft(desk, body, "before", () => ({
    kind: "forget",
    why: "gone from the service; its text goes on as a new document",
    id: link.id,
    localPath: link.localPath,
  }));
}

function createThere(desk: Desk, body: DocumentBody, here: LocalFile, tombstone: DocId | null, why: string): boolean {
  if (isTextHeld(desk, body, body.link, here)) return false;
  // An earlier POST of this file, of which no read has told yet: sent again, it could be there
  // twice (I08).
  const open = desk.trees.local.unseen.get(here.path);
  if (open !== undefined) {
    holdDocument(desk, body, "not-seen", open);
    return false;
  }
  const wish = remoteWish(desk, body);
  if (wish.kind === "barred") {
    holdDocument(desk, body, wish.reason, wish.detail);
    return false;
  }
  if (isDirectionOff(desk, body, "pull-only", why) || isStopped(desk, body, "post")) return false;
  body.remote.goal = wish.place;
  draft(desk, body, "arrive-remote", (at) => ({
    kind: "create-remote",
    why,
    localPath: at.local,
    remotePath: at.remote,
    expect: here.digest,
    tombstone,
  }));
  return true;
}

export function meet(desk: Desk, body: DocumentBody, here: LocalFile, there: RemoteFile): void {
  keepUnmet(desk, here);
  if (isTextHeld(desk, body, null, here)) return;
  if (isStopped(desk, body, "merge")) return;
  draft(desk, body, "content", (at) => ({
    kind: "meet",
    why: "new on both sides",
    id: there.id,
    localPath: at.local,
    remotePath: at.remote,
    changeId: there.changeId,
    expect: here.digest,
  }));
}

/** Whether the folder is still there and some document directly in it is still shown. */
function isReadable(desk: Desk, folder: FolderBody): boolean {
  if (folder.remotePath === null || folder.remoteSeen === "gone") return false;
  return desk.populated().has(folder.remotePath);
}
