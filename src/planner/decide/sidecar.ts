import type { Conflict, ShownVersion } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { type ConflictCopy, copiesOf, copyPath } from "../../model/sidecar-path.ts";
import type { LocalFile, LocalOther } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { isUnseen } from "../match/unseen.ts";
import { type OwnedCopy, type PlanDraft, pathOfDocument } from "./plan-draft.ts";

/** Where a conflict copy is: a version of the service's text, in a file beside the document. */
export type FoundCopy = ConflictCopy & { readonly found: Found };
type Found =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * Finds the copies of a conflict: each by its inode where it was put, or where the document's move
 * took it; else by its name in these places (an editor saved another file); else by its inode
 * anywhere, if the user moved it. Another copy on record is left out: the inode of a removed copy
 * may belong to the next one, and when two folders change places, each record names the other's.
 * @param here the document's own file, where there is one
 * @returns oldest first; the newest is always among them
 */
export function findCopies(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  here: LocalFile | null,
): FoundCopy[] {
  const document = row.link?.localPath ?? pathOfDocument(row);
  return copiesOf(conflict, document, draft.trees.local.disk.maxNameBytes).map((copy) => ({
    ...copy,
    found: findCopy(draft, conflict, copy, here),
  }));
}

function findCopy(draft: PlanDraft, conflict: Conflict, copy: ConflictCopy, here: LocalFile | null): Found {
  const { maxNameBytes } = draft.trees.local.disk;
  const places = [copy.path, ...(here === null ? [] : [copyPath(here.path, copy.nth, maxNameBytes)])];
  const own = { id: conflict.id, ...copy };
  const other = findAtPlaces(draft, own, places) ?? findMoved(draft, own);
  if (other !== null) return { kind: "present", path: other.path };
  return { kind: places.some((path) => isUnseen(path, draft.trees)) ? "unknown" : "gone" };
}

/** At the recorded place a file is the copy whatever it holds. */
function findAtPlaces(draft: PlanDraft, copy: OwnedCopy, places: readonly LocalPath[]): LocalOther | null {
  const found = places.flatMap((path) => draft.trees.local.others.get(path) ?? []);
  const isRecorded = (path: LocalPath) => copy.isNewest && path === copy.path;
  const isFree = ({ path }: LocalOther) => isRecorded(path) || rivalAt(draft, copy, path) === null;
  return found.find((other) => isOwn(draft, copy, other)) ?? found.find(isFree) ?? null;
}

function findMoved(draft: PlanDraft, copy: OwnedCopy): LocalOther | null {
  for (const other of draft.trees.local.others.values()) {
    if (other.kind !== "conflict-copy" || !hasInodeOf(draft, copy.version, other)) continue;
    if (rivalAt(draft, copy, other.path) === null) return other;
  }
  return null;
}

function isOwn(draft: PlanDraft, copy: OwnedCopy, other: LocalOther): boolean {
  const rival = rivalAt(draft, copy, other.path);
  return hasInodeOf(draft, copy.version, other) && (rival === null || !hasInodeOf(draft, rival.version, other));
}

/** Whether a file has the inode of a version's copy. */
export function hasInodeOf(
  { trees }: PlanDraft,
  { ino, dev }: ShownVersion,
  { stamp }: Pick<LocalOther, "stamp">,
): boolean {
  return trees.local.inodesTrusted && stamp?.ino === ino && stamp.dev === dev;
}

/** Another copy, of this conflict or of another one, that base has at this path. */
function rivalAt(draft: PlanDraft, { id, nth }: OwnedCopy, path: LocalPath): OwnedCopy | null {
  const owner = draft.copyOwners().get(path) ?? null;
  return owner === null || (owner.id === id && owner.nth === nth) ? null : owner;
}
