/** Compares the remembered targets of a file's links with the paths of documents. */

import type { DocumentRecord } from "../../model/record.ts";
import type { LinkTarget, Spelling } from "../../../contract/spelling.ts";
import type { LinkPlaces } from "./places.ts";

/**
 * Returns true if a link that had no target, or a deleted one, has one now: a document is at its
 * path, or the deleted one is back.
 */
export function hasNewTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some((lead) => {
    if (lead.former !== undefined && now.pathOf(lead.former) !== null && !now.isGone(lead.former)) return true;
    return (lead.to === null || now.isGone(lead.to)) && now.existsNow(lead);
  });
}

/**
 * Returns a link without a target as an earlier entry has it, but with the new path; the new link
 * if no entry has it.
 */
export function withoutTarget(lead: LinkTarget, before: LinkTarget | undefined): LinkTarget {
  return before === undefined ? lead : { ...before, at: lead.at };
}

/** Returns true if a path leads to a document that is known to be gone. */
export function hasGoneTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some(({ destination, to }) => to !== null && destination !== to && now.isGone(to));
}

/**
 * Returns true if the bytes at a document's path are another document's, in the middle of a swap.
 * An entry with the document's own content does not count.
 */
export function isFileOfAnother({ id, text }: Spelling, record: DocumentRecord): boolean {
  return id !== record.id && text !== record.localDigest;
}

/**
 * Returns true if the file has moved, if a link no longer leads to its target's path, or if a link
 * can be written by path now.
 */
export function hasMovedTarget({ path, spelledAt, leads }: Spelling, places: LinkPlaces): boolean {
  return path !== spelledAt || leads.some((lead) => hasWrongTarget(lead, places) || isResolvedNow(lead, places));
}

/**
 * Returns true if a target shares its path with another document, in the middle of a swap: one
 * destination would mean both.
 */
export function isTargetAmbiguous({ to }: LinkTarget, places: LinkPlaces): boolean {
  const path = to === null ? null : places.pathOf(to);
  return path !== null && places.isShared(path);
}

/**
 * Returns true if a link's target has no local path, and another document has, or may have, the
 * path in the link. Only the id distinguishes the two. A target that is gone keeps its path.
 */
export function isPathOfAnother({ at, to }: LinkTarget, places: LinkPlaces): boolean {
  if (to === null || places.pathOf(to) !== null) return false;
  return places.isAway(to) || (at !== null && places.idAt(at) !== null && !places.isGone(to));
}

function hasWrongTarget(lead: LinkTarget, places: LinkPlaces): boolean {
  const { destination, at, to } = lead;
  if (to === null || destination === to) return false;
  const targetPath = places.pathOf(to);
  if (targetPath === null) return isPathOfAnother(lead, places);
  return at === null ? places.idAtAbsolute(destination) !== to : targetPath !== at || places.leadsElsewhere(lead);
}

/**
 * Returns true if a link is an id or an absolute path that had no target before and has one now.
 */
export function isResolvedNow({ destination, to }: LinkTarget, places: LinkPlaces): boolean {
  if (to === null) return places.idAtAbsolute(destination) !== null;
  return destination === to && places.pathOf(to) !== null;
}

/** Returns true if a new entry about a file would equal the stored one. */
export function isSameSpelling(old: Spelling, next: Spelling): boolean {
  const { leads } = next;
  if (old.bytes !== next.bytes || old.spelledAt !== next.spelledAt || old.leads.length !== leads.length) return false;
  return old.leads.every(({ destination, at, to, former }, index) => {
    const other = leads[index]!;
    return destination === other.destination && at === other.at && to === other.to && former === other.former;
  });
}
