import { isId } from "../../../markdown/links/destination.ts";
import { destinationsOf, inertIn, meantBy } from "../../../markdown/links/leads.ts";
import type { Meant } from "../../../markdown/links/translate.ts";
import { once } from "../../../common/once.ts";
import { everMeant, type Lead, type Spelling } from "../../../contract/spelling.ts";
import { asOpen } from "./astray.ts";
import type { LinkPlaces, LinkScope } from "./places.ts";

/** What the bytes that a file had before tell of the links in those that it has now. */

/** What destinations meant in a file's bytes of before. */
type MeantBefore = {
  /**
   * In the newest. It goes before what is where now: until they are written anew, links that were
   * there already are spelled for where their targets were.
   */
  readonly stood: Meant;
  /**
   * In older ones: an editor saves what it read before links were written anew. It counts where
   * nothing is there, and only of targets that the text does not say as the newest did.
   */
  readonly formerly: Meant;
};

/** @param earlier what is known of the bytes of before, the newest first */
export function meantBefore(
  [newest, ...older]: readonly Spelling[],
  text: string,
  now: LinkPlaces,
  { wiki }: LinkScope,
): MeantBefore {
  const known = ({ to }: Lead): boolean => to !== null && !now.isGone(to);
  // What a link stood for until it was gone may be shown again.
  const leads = (newest?.leads ?? []).map((lead) => ({ ...lead, to: everMeant(lead) })).filter(known);
  const former = once(() => {
    const said = new Set(destinationsOf(text, wiki));
    const isSaid = new Set(leads.filter((lead) => said.has(lead.said)).map(({ to }) => to));
    return meantBy(older.flatMap((one) => one.leads).filter((lead) => known(lead) && !isSaid.has(lead.to)));
  });
  return { stood: meantBy(leads), formerly: (said) => (older.length === 0 ? null : former()(said)) };
}

/** Returns leads with what they stood for, as far as that is gone. */
export function withGone(leads: readonly Lead[], earlier: readonly Spelling[], now: LinkPlaces): Lead[] {
  const before = once(() => earlier.flatMap((one) => one.leads));
  return leads.map((lead) => {
    if (lead.to !== null) return lead;
    const former = before().find((one) => one.said === lead.said && everMeant(one) !== null);
    const was = former === undefined ? null : everMeant(former);
    return was === null || !now.isGone(was) ? lead : { ...lead, was };
  });
}

/** Returns ids that were written since nothing was known to be there: they become paths later. */
export function idsUnknownBefore(earlier: readonly Spelling[]): Lead[] {
  return earlier.flatMap((one) => one.leads).filter(({ said, to }) => said === to);
}

/** Returns all ids of a text as such. */
export function idsIn(text: string, wiki: boolean): Lead[] {
  return destinationsOf(text, wiki).flatMap((said) => (isId(said) ? [{ said, at: null, to: said as Lead["to"] }] : []));
}

/** Returns those of some ids that a text still says, beside its other links. */
export function stillThere(ids: readonly Lead[], text: string, leads: readonly Lead[]): Lead[] {
  const known = new Set(leads.map(({ said }) => said));
  return ids.filter(({ said }) => !known.has(said) && known.add(said) && text.includes(said));
}

/**
 * What led nowhere in a file's bytes of before, and is inert in its new text, does so until it is
 * read anew, though its target is there by now: only so does it go up by its id.
 */
export function stillOpen(leads: Lead[], text: string, before: Spelling | null, { wiki }: LinkScope): readonly Lead[] {
  const open = new Map(before?.leads.flatMap((lead) => (lead.to === null ? [[lead.said, lead]] : [])));
  if (open.size === 0) return leads;
  const inert = new Set(inertIn(text, wiki));
  return leads.map((lead) => (inert.has(lead.said) ? asOpen(lead, open.get(lead.said)) : lead));
}

/** Whether something in a file's new bytes could not be read by what is known of the old ones. */
export function saysMore(leads: readonly Lead[], before: Spelling | null): boolean {
  return leads.some((lead) => !before?.leads.some(({ said, to }) => said === lead.said && to === lead.to));
}
