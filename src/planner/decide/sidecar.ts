import type { Conflict } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { sidecarPath } from "../../model/sidecar-path.ts";
import type { LocalFile, LocalOther } from "../../model/tree.ts";
import { isUnseen } from "../match/unseen.ts";
import type { PlanDraft } from "./plan-draft.ts";

/**
 * Where the other version of an open conflict is: the service's text, in a file beside the
 * document.
 */
export type Sidecar =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * Finds a conflict's sidecar: by its inode where it was put, or where the document's move took it;
 * else by its name in these places (an editor saved it anew); else by its inode anywhere, if the
 * user moved it. A file of another conflict is left out: the inode of a removed sidecar may belong
 * to the next one, and when two folders change places, each record names the other's.
 * @param here the document's own file, where there is one
 */
export function findSidecar(draft: PlanDraft, conflict: Conflict, here: LocalFile | null): Sidecar {
  const places = [conflict.sidecarPath, ...(here === null ? [] : [sidecarPath(here.path)])];
  const found = findAtPlaces(draft, conflict, places) ?? findMoved(draft, conflict);
  if (found !== null) return { kind: "present", path: found.path };
  return { kind: places.some((path) => isUnseen(path, draft.trees)) ? "unknown" : "gone" };
}

function findAtPlaces(draft: PlanDraft, conflict: Conflict, places: readonly LocalPath[]): LocalOther | null {
  const [at, beside] = places.map((path) => draft.trees.local.others.get(path));
  const own = [at, beside].find((other) => other !== undefined && isOwn(draft, conflict, other));
  if (own !== undefined) return own;
  if (at !== undefined) return at;
  return beside !== undefined && rivalAt(draft, conflict, beside.path) === null ? beside : null;
}

function findMoved(draft: PlanDraft, conflict: Conflict): LocalOther | null {
  for (const other of draft.trees.local.others.values()) {
    if (other.kind !== "sidecar" || !hasInodeOf(draft, conflict, other)) continue;
    if (rivalAt(draft, conflict, other.path) === null) return other;
  }
  return null;
}

function isOwn(draft: PlanDraft, conflict: Conflict, other: LocalOther): boolean {
  const rival = rivalAt(draft, conflict, other.path);
  return hasInodeOf(draft, conflict, other) && (rival === null || !hasInodeOf(draft, rival, other));
}

function hasInodeOf({ trees }: PlanDraft, { sidecarIno, sidecarDev }: Conflict, { stamp }: LocalOther): boolean {
  return trees.local.inodesTrusted && stamp?.ino === sidecarIno && stamp.dev === sidecarDev;
}

/** Another conflict, whose sidecar base has at this path. */
function rivalAt(draft: PlanDraft, conflict: Conflict, path: LocalPath): Conflict | null {
  const owner = draft.sidecarOwners().get(path) ?? null;
  return owner === null || owner.id === conflict.id ? null : owner;
}
