import type { DocId } from "../../../contract/ids.ts";
import type { Conflict, ShownVersion } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type ConflictCopy, copiesOf, copyPath } from "../../model/conflict-copy-path.ts";
import type { LocalFile, LocalOther } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { isUnseen } from "../match/unseen.ts";
import { type CopyClaim, type PlanDraft, pathOfDocument } from "./plan-draft.ts";

/** A conflict copy with its place: a version of the service, in a file beside the document. */
export type FoundCopy = ConflictCopy & { readonly found: Found };
type Found =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * Finds the copies of a conflict: each by its inode at its own place, or where the document's move
 * took it; else by its name in these places (an editor saved another file); else by its inode
 * anywhere, if the user moved it. A file that belongs to another copy is left out.
 * @param here the document's own file, if there is one
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

function findCopy(draft: PlanDraft, { id }: Conflict, copy: ConflictCopy, here: LocalFile | null): Found {
  const { others, disk } = draft.trees.local;
  const places = [copy.path, ...(here === null ? [] : [copyPath(here.path, copy.nth, disk.maxNameBytes)])];
  const isOwn = (other: LocalOther) => hasInodeOf(draft, copy.version, other);
  const isFree = (other: LocalOther) => mayBe(draft, { ...copy, id }, other);
  const there = places.flatMap((path) => others.get(path) ?? []).filter(isFree);
  const found = there.find(isOwn) ?? there[0] ?? findMoved(draft, (other) => isOwn(other) && isFree(other));
  if (found !== null) return { kind: "present", path: found.path };
  return { kind: places.some((path) => isUnseen(path, draft.trees)) ? "unknown" : "gone" };
}

function findMoved({ trees }: PlanDraft, isIt: (other: LocalOther) => boolean): LocalOther | null {
  for (const other of trees.local.others.values()) if (other.kind === "conflict-copy" && isIt(other)) return other;
  return null;
}

/**
 * Returns true if a file may be a copy. Of the copies that may be at its path, the one with its
 * inode has it, else the one that base has there, whatever its content. When two folders change
 * places, each record names the other's copy; and the inode of a removed copy may belong to the
 * next one.
 */
function mayBe(draft: PlanDraft, copy: ConflictCopy & { readonly id: DocId }, file: LocalOther): boolean {
  const claims = draft.copyClaims().get(file.path) ?? [];
  const isIt = ({ id, nth }: CopyClaim) => id === copy.id && nth === copy.nth;
  const owner = claims.find(({ version }) => hasInodeOf(draft, version, file));
  if (owner !== undefined) return isIt(owner);
  return claims.length === 0 || isIt(claims[0]!) || (copy.isNewest && file.path === copy.path);
}

/** Returns true if a file has the inode of a version's copy. */
export function hasInodeOf(
  { trees }: PlanDraft,
  { ino, dev }: ShownVersion,
  { stamp }: Pick<LocalOther, "stamp">,
): boolean {
  return trees.local.inodesTrusted && stamp?.ino === ino && stamp.dev === dev;
}
