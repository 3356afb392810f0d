import { readNameOfDestination } from "../../../markdown/links/wiki.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import type { LinkTarget } from "../../../contract/spelling.ts";
import type { LocalTree } from "../../model/tree.ts";
import type { LinkPlaces } from "./places.ts";

/** Uploaded links that lead to no document (`ref://…`): their number by reason, and examples. */
export type InertLinks = {
  readonly reason: InertReason;
  readonly count: number;
  /** Files with links that lead to no document. `to` is the destination as written in the file. */
  readonly first: readonly { readonly path: LocalPath; readonly to: string }[];
};

/**
 * Reason why a link leads to no document.
 * - `no-target`: nothing is at the path.
 * - `no-document`: an image or another kind of file is at the path.
 * - `not-mirrored`: the file at the path is never synced.
 * - `not-created`: the document is not on the service, because its upload is blocked.
 * - `outside`: the path is outside the linked folder.
 * - `pending`: the target exists now, but the document with the link must wait (in review, blocked,
 *   in conflict).
 */
type InertReason = "no-target" | "no-document" | "not-mirrored" | "not-created" | "outside" | "pending";

/** LIMIT: number of links that are reported for each reason, so that the report stays short. */
const MAX_LISTED = 5;

type TargetPlaces = Pick<LinkPlaces, "idAt" | "isGone">;

/**
 * Returns the links without a document by reason, the most frequent reason first.
 * @param texts paths of the uploaded files, and the targets of their links
 */
export function reportInertLinks(
  texts: Iterable<{ readonly path: LocalPath; readonly leads: readonly LinkTarget[] }>,
  tree: LocalTree,
  places: TargetPlaces,
): InertLinks[] {
  const linksByReason = new Map<InertReason, { count: number; readonly first: { path: LocalPath; to: string }[] }>();
  for (const { path, leads } of texts) {
    for (const lead of leads) {
      const reason = findInertReason(lead, tree, places);
      if (reason === null) continue;
      const entry = linksByReason.get(reason) ?? { count: 0, first: [] };
      linksByReason.set(reason, entry);
      entry.count++;
      if (entry.first.length < MAX_LISTED) entry.first.push({ path, to: lead.destination });
    }
  }
  return [...linksByReason].map(([reason, entry]) => ({ reason, ...entry })).toSorted((a, b) => b.count - a.count);
}

/**
 * Returns the reason why a link leads to no document. Returns null if it leads to a document, or
 * was uploaded as written.
 */
function findInertReason(
  { destination, at, to }: LinkTarget,
  { files, folders, others, ignores }: LocalTree,
  places: TargetPlaces,
): InertReason | null {
  const isInert =
    (to === null || (destination !== to && places.isGone(to))) && readNameOfDestination(destination) === null;
  if (!isInert) return null;
  if (at === null) return "outside";
  if (places.idAt(at) !== null) return "pending";
  if (files.has(at) || folders.has(at)) return "not-created";
  if (at === "") return "no-document";
  if (others.has(at) || ignores(at, "file")) return at.endsWith(".md") ? "not-mirrored" : "no-document";
  return ancestorsOf(at).some((folder) => others.has(folder) || ignores(folder, "folder"))
    ? "not-mirrored"
    : "no-target";
}
