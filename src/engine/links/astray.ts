import type { Link } from "../../model/link.ts";
import type { Lead, Spelling } from "../../model/spelling.ts";
import type { LinkPlaces } from "./places.ts";

/** How what is remembered of a file's links stands to where documents are. */

/** Whether a document is where a link led to nothing, or to one that is gone. */
export function leadsSomewhereNew(leads: readonly Lead[], now: LinkPlaces): boolean {
  return leads.some((lead) => (lead.to === null || now.pathOf(lead.to) === null) && now.isThere(lead));
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
  return path !== spelledAt || leads.some((lead) => isAstray(lead, places) || isFoundId(lead, places));
}

/**
 * Whether a target shares its path with another document, in the middle of an exchange: one
 * destination would stand for both.
 */
export function isUnsettled({ to }: Lead, places: LinkPlaces): boolean {
  const path = to === null ? null : places.pathOf(to);
  return path !== null && places.isShared(path);
}

function isAstray(lead: Lead, places: LinkPlaces): boolean {
  const { said, at, to } = lead;
  const is = to === null || said === to ? null : places.pathOf(to);
  return is !== null && (is !== at || places.isNoMore(lead));
}

/** Whether a link stands as an id that was not known, and is by now. */
export function isFoundId({ said, to }: Lead, places: LinkPlaces): boolean {
  return said === to && places.pathOf(to) !== null;
}
