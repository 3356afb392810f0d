/** Compares the stored targets of a file's links with the current paths of documents. */

import type { DocumentRecord } from "../../model/record.ts";
import type { LinkTarget, Spelling } from "../../../contract/spelling.ts";
import type { LinkPlaces } from "./places.ts";

/** Returns true if a link that had no target has a target now, or if its deleted target is back. */
export function hasNewTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some((lead) => {
    if (lead.former !== undefined && now.pathOf(lead.former) !== null && !now.isGone(lead.former)) return true;
    return (lead.to === null || now.isGone(lead.to)) && now.existsNow(lead);
  });
}

/**
 * Returns a link of a rewritten file. If the link had no target in the earlier spelling (`before`),
 * it still has none; only its path (`at`) is new.
 */
export function withoutTarget(lead: LinkTarget, before: LinkTarget | undefined): LinkTarget {
  return before === undefined ? lead : { ...before, at: lead.at };
}

/** Returns true if a link by path leads to a document that is known to be gone. */
export function hasGoneTarget(leads: readonly LinkTarget[], now: LinkPlaces): boolean {
  return leads.some(({ destination, to }) => to !== null && destination !== to && now.isGone(to));
}

/**
 * Returns true if the spelling at a path belongs to another document, as in a swap of two paths.
 */
export function isFileOfAnother({ id, text }: Spelling, record: DocumentRecord): boolean {
  return id !== record.id && text !== record.localDigest;
}

/**
 * Returns true if links must be rewritten: a path changed, or the target of an id has a path now.
 */
export function hasMovedTarget({ path, spelledAt, leads }: Spelling, places: LinkPlaces): boolean {
  return path !== spelledAt || leads.some((lead) => hasWrongTarget(lead, places) || isResolvedNow(lead, places));
}

/** Returns true while two documents swap paths: a link by path could lead to either of them. */
export function isTargetAmbiguous({ to }: LinkTarget, places: LinkPlaces): boolean {
  const path = to === null ? null : places.pathOf(to);
  return path !== null && places.isShared(path);
}

/**
 * Returns true if a link's target has no local path, and another document has, or may have, the
 * path in the link. Only a link by id can then identify the target. If the target is gone, the link
 * keeps its path.
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

/** Returns true if a link by id or absolute path had no known target before, and has one now. */
export function isResolvedNow({ destination, to }: LinkTarget, places: LinkPlaces): boolean {
  if (to === null) return places.idAtAbsolute(destination) !== null;
  return destination === to && places.pathOf(to) !== null;
}

export function isSameSpelling(old: Spelling, next: Spelling): boolean {
  const { leads } = next;
  if (old.bytes !== next.bytes || old.spelledAt !== next.spelledAt || old.leads.length !== leads.length) return false;
  return old.leads.every(({ destination, at, to, former }, index) => {
    const nextLead = leads[index]!;
    return (
      destination === nextLead.destination && at === nextLead.at && to === nextLead.to && former === nextLead.former
    );
  });
}
