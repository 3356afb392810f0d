import { isId } from "../../../markdown/links/destination.ts";
import { destinationsOf, inertIn, meantBy } from "../../../markdown/links/leads.ts";
import type { Meant } from "../../../markdown/links/translate.ts";
import { once } from "../../../common/once.ts";
import { everMeant, type Lead, type Spelling } from "../../../contract/spelling.ts";
import { asOpen } from "./leads-elsewhere.ts";
import type { LinkPlaces, LinkScope } from "./places.ts";

/** Returns what a file's earlier bytes tell about the links in its present ones. */

/** Meaning of destinations in a file's earlier bytes. */
type MeantBefore = {
  /**
   * In the newest bytes. This counts before the present places: until they are rewritten, existing
   * links are written for where their targets were.
   */
  readonly stood: Meant;
  /**
   * In older bytes: a program saves what it read before links were rewritten. This counts if
   * nothing is at the destination, and only for targets that the newest bytes do not name.
   */
  readonly formerly: Meant;
};

/** @param earlier what is known of the earlier bytes, the newest first */
export function meantBefore(
  [newest, ...older]: readonly Spelling[],
  text: string,
  now: LinkPlaces,
  { wiki }: LinkScope,
): MeantBefore {
  const known = ({ to }: Lead): boolean => to !== null && !now.isGone(to);
  // The former target of a link may be shown again.
  const leads = (newest?.leads ?? []).map((lead) => ({ ...lead, to: everMeant(lead) })).filter(known);
  const former = once(() => {
    const said = new Set(destinationsOf(text, wiki));
    const isSaid = new Set(leads.filter((lead) => said.has(lead.said)).map(({ to }) => to));
    return meantBy(older.flatMap((one) => one.leads).filter((lead) => known(lead) && !isSaid.has(lead.to)));
  });
  return { stood: meantBy(leads), formerly: (said) => (older.length === 0 ? null : former()(said)) };
}

/** Returns links with their former targets, as far as those are gone. */
export function withGone(leads: readonly Lead[], earlier: readonly Spelling[], now: LinkPlaces): Lead[] {
  const before = once(() => earlier.flatMap((one) => one.leads));
  return leads.map((lead) => {
    if (lead.to !== null) return lead;
    const former = before().find((one) => one.said === lead.said && everMeant(one) !== null);
    const was = former === undefined ? null : everMeant(former);
    return was === null || !now.isGone(was) ? lead : { ...lead, was };
  });
}

/** Returns ids that were written since nothing was known to have them. They become paths later. */
export function idsUnknownBefore(earlier: readonly Spelling[]): Lead[] {
  return earlier.flatMap((one) => one.leads).filter(({ said, to }) => said === to);
}

/** Returns all ids in a text as links. */
export function idsIn(text: string, wiki: boolean): Lead[] {
  return destinationsOf(text, wiki).flatMap((said) => (isId(said) ? [{ said, at: null, to: said as Lead["to"] }] : []));
}

/** Returns those of some ids that a text still has, besides its other links. */
export function idsStillLinked(ids: readonly Lead[], text: string, leads: readonly Lead[]): Lead[] {
  const known = new Set(leads.map(({ said }) => said));
  return ids.filter(({ said }) => !known.has(said) && known.add(said) && text.includes(said));
}

/**
 * A link that led nowhere in a file's earlier bytes, and is inert in its new text, stays so until
 * the file is read again, even if its target exists by now: only then it is uploaded by its id.
 */
export function stillOpen(leads: Lead[], text: string, before: Spelling | null, { wiki }: LinkScope): readonly Lead[] {
  const open = new Map(before?.leads.flatMap((lead) => (lead.to === null ? [[lead.said, lead]] : [])));
  if (open.size === 0) return leads;
  const inert = new Set(inertIn(text, wiki));
  return leads.map((lead) => (inert.has(lead.said) ? asOpen(lead, open.get(lead.said)) : lead));
}

/**
 * Returns whether something in a file's new bytes could not be read by what is known of the old
 * ones.
 */
export function saysMore(leads: readonly Lead[], before: Spelling | null): boolean {
  return leads.some((lead) => !before?.leads.some(({ said, to }) => said === lead.said && to === lead.to));
}
