import type { Drift } from "../drift/drift.ts";
import type { Link } from "../../model/link.ts";
import type { DocumentBody } from "../match/body.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { decideConflict, keepUnlessLinkEnds } from "./conflict.ts";
import { type Desk, draft } from "./desk.ts";
import { isDirectionOff, isTextHeld } from "./gates.ts";
import { placeDocument } from "./place-document.ts";
import { bringBack, createHere, deleteThere, forget, leaveSubtree, meet, post, postAsNew, trash } from "./presence.ts";
import { holdUnseen, isStopped } from "./remembered.ts";
import { decideReview } from "./review.ts";
import { decideStanding } from "./standing.ts";
import { CONTENT_RULES } from "./table.ts";

/**
 * Decides one document: its standing first, then the cell of the table, then, where both sides have
 * it, its place.
 */
export function decideDocument(desk: Desk, body: DocumentBody, drift: Drift): void {
  body.local.goal = body.local.now;
  body.remote.goal = body.remote.now;
  if (body.link !== null && decideStanding(desk, body, body.link, drift)) return;
  const conflict = body.id === null ? undefined : desk.trees.base.conflicts.get(body.id);
  const here = body.local.seen.kind === "present" ? body.local.seen.value : null;
  const there = body.remote.seen.kind === "present" ? body.remote.seen.file : null;
  if (conflict !== undefined && decideConflict(desk, body, conflict, here, there, drift)) {
    placeDocument(desk, body, drift);
    return;
  }
  decideByTable(desk, body, drift, here, there);
  if (conflict !== undefined && drift.remote === "gone") keepUnlessLinkEnds(desk, body);
}

function decideByTable(
  desk: Desk,
  body: DocumentBody,
  drift: Drift,
  here: LocalFile | null,
  there: RemoteFile | null,
): void {
  switch (CONTENT_RULES[`${drift.local}/${drift.remote}`]) {
    case "nothing":
      break;
    case "hold-not-seen":
      holdUnseen(desk, body, "not-seen", body.remote.seen.kind === "unseen" ? body.remote.seen.why : "not seen");
      return;
    case "hold-unreadable":
      holdUnreadable(desk, body);
      return;
    case "hold-outside":
    case "leave-subtree":
      leaveSubtree(desk, body, here!, drift);
      return;
    case "trash-local":
      trash(desk, body, here!, "gone");
      return;
    case "forget":
      forget(desk, body);
      return;
    case "delete-remote":
      deleteThere(desk, body, there!, drift);
      return;
    case "come-back":
      bringBack(desk, body, there!, "edited on the service after it was deleted here");
      return;
    case "post-as-new":
      postAsNew(desk, body, body.link!, here!);
      return;
    case "post":
      post(desk, body, here!);
      return;
    case "create-local":
      createHere(desk, body, there!, body.tombstone === null ? "new on the service" : "seen again on the service");
      return;
    case "meet":
      meet(desk, body, here!, there!);
      return;
    case "write-local":
      writeLocal(desk, body, body.link!, here!, there!);
      break;
    case "put":
      put(desk, body, body.link!, here!, there!);
      break;
    case "merge":
      merge(desk, body, body.link!, here!, there!);
      break;
  }
  if (there !== null && body.link !== null) noteFacts(desk, body, body.link, there);
  placeDocument(desk, body, drift);
}

function holdUnreadable(desk: Desk, body: DocumentBody): void {
  const why = body.local.seen.kind === "unknown" ? body.local.seen.why : "not seen";
  holdUnseen(desk, body, why === "still-being-written" ? why : "local-unreadable", why);
}

function writeLocal(desk: Desk, body: DocumentBody, link: Link, here: LocalFile, there: RemoteFile): void {
  if (decideReview(desk, body, link, here, there)) return;
  if (isDirectionOff(desk, body, "push-only", "edited on the service")) return;
  if (isStopped(desk, body, "pull")) return;
  draft(desk, body, "content", (at) => ({
    kind: "write-local",
    why: "edited on the service",
    id: link.id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
  }));
}

function put(desk: Desk, body: DocumentBody, link: Link, here: LocalFile, there: RemoteFile): void {
  // A service that normalises answered this very text with the base's own: sending it again would
  // only echo.
  if (here.digest === link.echoDigest) return;
  if (decideReview(desk, body, link, here, there) || isTextHeld(desk, body, link, here)) return;
  if (isDirectionOff(desk, body, "pull-only", "edited here")) return;
  if (isStopped(desk, body, "push")) return;
  draft(desk, body, "content", (at) => ({
    kind: "put",
    why: "edited here",
    id: link.id,
    localPath: at.local,
    baseChangeId: link.changeId,
    expect: here.digest,
    review: there.protected,
  }));
}

function merge(desk: Desk, body: DocumentBody, link: Link, here: LocalFile, there: RemoteFile): void {
  if (decideReview(desk, body, link, here, there) || isTextHeld(desk, body, link, here)) return;
  if (desk.policy.direction !== "both" && isDirectionOff(desk, body, desk.policy.direction, "edited on both sides"))
    return;
  if (isStopped(desk, body, "merge")) return;
  draft(desk, body, "content", (at) => ({
    kind: "merge",
    why: "edited on both sides",
    id: link.id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
    review: there.protected,
  }));
}

function noteFacts(desk: Desk, body: DocumentBody, link: Link, there: RemoteFile): void {
  if (there.protected === link.protected && link.standing === "linked") return;
  draft(desk, body, "note", () => ({
    kind: "note-facts",
    why:
      there.protected === link.protected
        ? "back in the mirror"
        : there.protected
          ? "protected on the service"
          : "no longer protected",
    id: link.id,
    protected: there.protected,
    standing: "linked",
  }));
}
