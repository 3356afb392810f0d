import type { Drift } from "../drift/drift.ts";
import { type Conflict, isBeingReplaced, type Link } from "../../model/link.ts";
import type { DocumentRow } from "../match/row.ts";
import { type LocalPath, nameOf, parentOf, sidecarPath } from "../../model/path.ts";
import type { LocalFile, LocalOther, RemoteFile } from "../../model/tree.ts";
import { folderAt } from "../match/forest.ts";
import { type PlanDraft, propose, holdDocument, withdraw } from "./plan-draft.ts";
import { isTextHeld, needsSecondLook } from "./gates.ts";
import { bringBack } from "./presence.ts";

/**
 * A document with an open conflict: nothing is PUT until it ends.
 * @returns true where the conflict decides about the text; false where the table does (the conflict
 * then ends, or cannot be judged)
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
    if (row.link !== null && needsSecondLook(draft, row, row.link)) return true;
    drop(draft, row, conflict, sidecar, "deleted here", true);
    bringBack(draft, row, there, "deleted here while it was in conflict");
    return true;
  }
  // With its text: base has another, so that without it nothing would tell whose file this is when
  // it moves.
  if (!endsOrWaits(draft, row, conflict, here, there, sidecar))
    holdDocument(draft, row, "conflict", "its texts here and on the service do not merge", { digest: here.digest });
  if (sidecar.kind === "present") follow(draft, row, conflict, sidecar.path);
  return true;
}

/**
 * The document is neither here nor in what is mirrored any more: its conflict ends with it, if
 * there is one. An absence here needs its second look.
 */
export function endsOrWaitsWithDocument(draft: PlanDraft, row: DocumentRow, link: Link): "ends" | "waits" {
  const conflict = draft.trees.base.conflicts.get(link.id);
  if (conflict === undefined) return "ends";
  if (needsSecondLook(draft, row, link)) return "waits";
  drop(draft, row, conflict, findSidecar(draft, conflict, null), "moved out of the mirrored subtree, and gone here");
  return "ends";
}

/**
 * Gone may mean no longer readable. Where the table holds such a document its link stays, and the
 * conflict with it: of two texts that were new at one path, base is the version that the sidecar
 * shows, and once the document is seen again the local text would go up over it as a plain edit.
 */
export function keepUnlessLinkEnds(draft: PlanDraft, row: DocumentRow): void {
  // The conflict's own draft is the only one: nothing of this plan ends the link.
  if (draft.proposals.get(row)?.length === 1) withdraw(draft, row, "before");
}

/** @returns true where the conflict ends by this plan. */
function endsOrWaits(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  here: LocalFile,
  there: RemoteFile,
  sidecar: Sidecar,
): boolean {
  const last = conflict.shown.at(-1)!;
  const replaced = isBeingReplaced(conflict);
  const end = (how: "mine" | "theirs" | "equal", why: string): boolean => {
    if (how !== "equal" && isTextHeld(draft, row, row.link, here)) return true;
    propose(draft, row, "content", (at) => ({
      kind: "end-conflict",
      why,
      id: conflict.id,
      localPath: at.local,
      how,
      expect: here.digest,
      baseChangeId: last.changeId,
    }));
    return true;
  };
  if (draft.policy.direction === "both") {
    const moved = here.stamp.ino === conflict.sidecarIno && here.stamp.dev === conflict.sidecarDev;
    if (moved && sidecar.kind === "gone") return end("theirs", "the other version was put in its place");
    if (here.digest === last.digest) return end("equal", "both versions are the same now");
    if (sidecar.kind === "gone" && conflict.looksGone > 0 && !replaced)
      return end("mine", "the other version was removed");
  }
  if (sidecar.kind === "gone" && !replaced) {
    if (conflict.looksGone === 0)
      propose(draft, row, "note", () => ({
        kind: "look-again",
        why: "the other version is not there",
        id: conflict.id,
      }));
  } else if (replaced || there.changeId !== last.changeId) {
    propose(draft, row, "content", (at) => ({
      kind: "renew-conflict",
      why: there.changeId !== last.changeId ? "edited again on the service" : "the other version is to be shown again",
      id: conflict.id,
      localPath: at.local,
      changeId: there.changeId,
      expect: here.digest,
    }));
  }
  return false;
}

type Sidecar =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * By its inode where it was put, or where the document's own move took it; else by the name alone
 * (an editor saved it anew) in these places; else by its inode anywhere: the user moved it. What is
 * another conflict's is not this one's: of a sidecar that was removed the inode may be the next
 * one's, and when two folders change places, each record names the other's.
 */
function findSidecar(draft: PlanDraft, conflict: Conflict, here: LocalFile | null): Sidecar {
  const { others, unseen, inodesTrusted } = draft.trees.local;
  const places = [conflict.sidecarPath, ...(here === null ? [] : [sidecarPath(here.path)])];
  const isBy = ({ sidecarIno, sidecarDev }: Conflict, other: LocalOther): boolean =>
    inodesTrusted && other.stamp?.ino === sidecarIno && other.stamp.dev === sidecarDev;
  const rivalAt = (path: LocalPath): Conflict | null => {
    const owner = draft.sidecarOwners().get(path) ?? null;
    return owner === null || owner.id === conflict.id ? null : owner;
  };
  const isOwn = (other: LocalOther): boolean => {
    const rival = rivalAt(other.path);
    return isBy(conflict, other) && !(rival !== null && isBy(rival, other));
  };
  const [at, beside] = places.map((path) => others.get(path));
  for (const other of [at, beside])
    if (other !== undefined && isOwn(other)) return { kind: "present", path: other.path };
  if (at !== undefined) return { kind: "present", path: at.path };
  if (beside !== undefined && rivalAt(beside.path) === null) return { kind: "present", path: beside.path };
  for (const other of others.values())
    if (other.kind === "sidecar" && isBy(conflict, other) && rivalAt(other.path) === null)
      return { kind: "present", path: other.path };
  for (const path of places)
    for (let above = path; above !== ""; above = parentOf(above)) if (unseen.has(above)) return { kind: "unknown" };
  return unseen.has("") ? { kind: "unknown" } : { kind: "gone" };
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
 * Where the sidecar is not beside its document, or the record says so, it follows; `from` = `to`
 * where only the record does.
 */
function follow(draft: PlanDraft, row: DocumentRow, conflict: Conflict, now: LocalPath): void {
  const parent = folderAt(draft.forest, "local", parentOf(now));
  const stands = { parent, name: nameOf(now) };
  draft.sidecars.set(row, { recorded: conflict.sidecarPath, stands });
}
