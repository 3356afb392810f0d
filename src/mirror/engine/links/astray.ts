import type { Link } from "../../model/link.ts";
import type { Lead, Spelling } from "../../../contract/spelling.ts";
import type { LinkPlaces } from "./places.ts";

/** How what is remembered of a file's links stands to where documents are. */

/** Whether a document is where a link led to nothing or to a gone one, or that one is back. */
export function leadsSomewhereNew(leads: readonly Lead[], now: LinkPlaces): boolean {
  return leads.some((lead) => {
    if (lead.was !== undefined && now.pathOf(lead.was) !== null && !now.isGone(lead.was)) return true;
    return (lead.to === null || now.pathOf(lead.to) === null) && now.isThere(lead);
  });
}

/** Returns a lead as one that leads nowhere still, as it did before. */
export function asOpen(lead: Lead, before: Lead | undefined): Lead {
  return before === undefined ? lead : { ...before, at: lead.at };
}

/** Whether a path leads to what is known to be gone. */
export function leadsToGone(leads: readonly Lead[], now: LinkPlaces): boolean {
  return leads.some(({ said, to }) => to !== null && said !== to && now.isGone(to));
}

/**
 * Whether the file at a document's path is another's, which has exchanged paths with it. Where it
 * belongs is yet to be settled, by its inode: a new file would have another.
 */
export function isAnothers({ id, text }: Spelling, link: Link): boolean {
  return id !== null && id !== link.id && text !== link.localDigest;
}

/** Whether a file's links lead elsewhere than where their targets are, or it has moved itself. */
export function leadsAstray({ path, spelledAt, leads }: Spelling, places: LinkPlaces): boolean {
  return path !== spelledAt || leads.some((lead) => isAstray(lead, places) || isFound(lead, places));
}

/**
 * Whether a target shares its path with another document, in the middle of an exchange: one
 * destination would stand for both.
 */
export function isUnsettled({ to }: Lead, places: LinkPlaces): boolean {
  const path = to === null ? null : places.pathOf(to);
  return path !== null && places.isShared(path);
}

/**
 * Whether a link's target has no local place, and the path that the link says is another
 * document's, or may be. Only its id tells it from that one. What is gone stays at its path.
 */
export function isDisplaced({ at, to }: Lead, places: LinkPlaces): boolean {
  if (to === null || places.pathOf(to) !== null) return false;
  return places.isAway(to) || (at !== null && places.idAt(at) !== null && !places.isGone(to));
}

function isAstray(lead: Lead, places: LinkPlaces): boolean {
  const { said, at, to } = lead;
  if (to === null || said === to) return false;
  const is = places.pathOf(to);
  if (is === null) return isDisplaced(lead, places);
  return at === null ? places.idAtAbsolute(said) !== to : is !== at || places.isNoMore(lead);
}

/** Whether a link stands as an id, or an absolute path, that led nowhere, and does by now. */
export function isFound({ said, to }: Lead, places: LinkPlaces): boolean {
  if (to === null) return places.idAtAbsolute(said) !== null;
  return said === to && places.pathOf(to) !== null;
}

/** Whether nothing is new in what would be noted of a file. */
export function isAsKnown(one: Spelling, next: Spelling): boolean {
  const { leads } = next;
  if (one.bytes !== next.bytes || one.spelledAt !== next.spelledAt || one.leads.length !== leads.length) return false;
  return one.leads.every(({ said, at, to, was }, n) => {
    const other = leads[n]!;
    return said === other.said && at === other.at && to === other.to && was === other.was;
  });
}
