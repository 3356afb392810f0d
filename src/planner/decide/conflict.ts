import type { Drift } from "../drift/drift.ts";
import { type Conflict, isBeingReplaced, type Link } from "../../model/link.ts";
import type { DocumentRow } from "../match/row.ts";
import { type LocalPath, nameOf, parentOf } from "../../model/path.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { folderAt } from "../match/forest.ts";
import { type PlanDraft, propose, holdDocument, withdraw } from "./plan-draft.ts";
import { isInUse, isTextHeld, needsSecondLook } from "./gates.ts";
import { createHere } from "./presence.ts";
import { holdMetEdit } from "./review.ts";
import { findSidecar, type Sidecar } from "./sidecar.ts";

/**
 * Decides a document with an open conflict: nothing is PUT until the conflict ends.
 * @returns true where the conflict decides about the text; false where the table does (then the
 * conflict ends, or cannot be judged)
 */
export function decideConflict(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  here: LocalFile | null,
  there: RemoteFile | null,
  drift: Drift,
): boolean {
  const sidecar = findSidecar(draft, conflict, here);
  if (drift.remote === "gone") {
    drop(draft, row, conflict, sidecar, "gone from the service");
    return false;
  }
  if (drift.local === "deleted" && drift.remote === "outside")
    return endsOrWaitsWithDocument(draft, row, row.link!) === "waits";
  if (there === null || drift.local === "unknown") return false;
  if (here === null) {
    decideDeleted(draft, row, conflict, sidecar, there);
    return true;
  }
  // The document's text is kept in the hold: base has another one, by which the file would not be
  // recognised after a move.
  if (!endsOrWaits(draft, row, { conflict, here, there, sidecar })) holdOpen(draft, row, conflict, here);
  if (sidecar.kind === "present") follow(draft, row, conflict, sidecar.path);
  return true;
}

function holdOpen(draft: PlanDraft, row: DocumentRow, { shown }: Conflict, here: LocalFile): void {
  const { link } = row;
  if (link !== null && holdMetEdit(draft, row, link, here, shown[0]?.changeId ?? null)) return;
  const sent = link !== null && link.submissions.length > 0 ? "; a text of it is in review, too" : "";
  const detail = `its texts here and on the service do not merge${sent}`;
  holdDocument(draft, row, "conflict", detail, { digest: here.digest });
}

/** Deleted here during a conflict: the service's text wins, because nobody has decided about it. */
function decideDeleted(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  sidecar: Sidecar,
  there: RemoteFile,
): void {
  if (row.link !== null && needsSecondLook(draft, row, row.link)) return;
  drop(draft, row, conflict, sidecar, "deleted here", true);
  createHere(draft, row, there, "deleted here while it was in conflict");
}

/**
 * The document is neither here nor in the mirrored part any more: its conflict, if there is one,
 * ends with it. An absence here needs its second look.
 */
export function endsOrWaitsWithDocument(draft: PlanDraft, row: DocumentRow, link: Link): "ends" | "waits" {
  const conflict = draft.trees.base.conflicts.get(link.id);
  if (conflict === undefined) return "ends";
  if (needsSecondLook(draft, row, link)) return "waits";
  drop(draft, row, conflict, findSidecar(draft, conflict, null), "moved out of the mirrored subtree, and gone here");
  return "ends";
}

/**
 * A document that is gone may only be unreadable. Where the table holds it, its link stays and so
 * must the conflict. With two texts that were new at one path, base is the version in the sidecar:
 * without the conflict, once the document is seen again, the local text would be sent over it as a
 * plain edit.
 */
export function keepUnlessLinkEnds(draft: PlanDraft, row: DocumentRow): void {
  // Only the conflict has drafted something, so nothing in this plan ends the link.
  if (draft.proposals.get(row)?.length === 1) withdraw(draft, row, "before");
}

/** A conflict whose document is on both sides. */
type Open = {
  readonly conflict: Conflict;
  readonly here: LocalFile;
  readonly there: RemoteFile;
  readonly sidecar: Sidecar;
};

/**
 * @returns true where this plan ends the conflict, or the conflict waits: for its text to be
 * mended, or for its file to be free
 */
function endsOrWaits(draft: PlanDraft, row: DocumentRow, open: Open): boolean {
  const { conflict, here } = open;
  const end = draft.policy.direction === "both" ? endOf(open) : null;
  if (end === null) return showAgain(draft, row, open) === "in-use";
  if (end.how !== "equal" && isTextHeld(draft, row, row.link, here)) return true;
  const baseChangeId = conflict.shown.at(-1)!.changeId;
  propose(draft, row, "content", (at) => ({
    kind: "end-conflict",
    why: end.why,
    id: conflict.id,
    localPath: at.local,
    how: end.how,
    expect: here.digest,
    baseChangeId,
  }));
  return true;
}

type End = { readonly how: "mine" | "theirs" | "equal"; readonly why: string };

/**
 * How the user ended the conflict, by what was done with the two versions; null: it is still open.
 */
function endOf({ conflict, here, sidecar }: Open): End | null {
  const replaced = isBeingReplaced(conflict);
  const moved = here.stamp.ino === conflict.sidecarIno && here.stamp.dev === conflict.sidecarDev;
  if (moved && sidecar.kind === "gone") return { how: "theirs", why: "the other version was put in its place" };
  if (here.digest === conflict.shown.at(-1)!.digest) return { how: "equal", why: "both versions are the same now" };
  if (sidecar.kind === "gone" && conflict.looksGone > 0 && !replaced)
    return { how: "mine", why: "the other version was removed" };
  return null;
}

/**
 * Notes a look that found the sidecar missing, or shows the service's present version. That waits
 * while somebody has the file in hand, where the texts are known to merge.
 */
function showAgain(draft: PlanDraft, row: DocumentRow, { conflict, here, there, sidecar }: Open): "shown" | "in-use" {
  const { id, looksGone } = conflict;
  const replaced = isBeingReplaced(conflict);
  if (sidecar.kind === "gone" && !replaced) {
    if (looksGone === 0)
      propose(draft, row, "note", () => ({ kind: "look-again", why: "the other version is not there", id }));
    return "shown";
  }
  const isNewer = there.changeId !== conflict.shown.at(-1)!.changeId;
  if (!replaced && !isNewer) return "shown";
  if (isInUse(draft, row, here, { digest: here.digest })) return "in-use";
  propose(draft, row, "content", (at) => ({
    kind: "renew-conflict",
    why: isNewer ? "edited again on the service" : "the other version is to be shown again",
    id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
  }));
  return "shown";
}

function drop(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  sidecar: Sidecar,
  why: string,
  comesBack = false,
): void {
  propose(draft, row, "before", () => ({
    kind: "drop-conflict",
    why,
    id: conflict.id,
    sidecarPath: sidecar.kind === "present" ? sidecar.path : null,
    ...(comesBack ? { comesBack } : {}),
  }));
}

/**
 * Moves the sidecar to its document, where it is elsewhere or the record says so; `from` = `to`
 * where only the record is wrong.
 */
function follow(draft: PlanDraft, row: DocumentRow, conflict: Conflict, now: LocalPath): void {
  const parent = folderAt(draft.forest, "local", parentOf(now));
  const stands = { parent, name: nameOf(now) };
  draft.sidecars.set(row, { recorded: conflict.sidecarPath, stands });
}
