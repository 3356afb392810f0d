import type { DirId, DocId } from "../contract/ids.ts";
import type { Lead } from "../model/spelling.ts";
import { isId, readDestinationText } from "./destination.ts";
import { findLinks } from "./find.ts";
import { type Place, pathTo, resolve } from "./place.ts";
import { type Meant, resolveIn } from "./translate.ts";

/**
 * What the links of a disk's text lead to, each once, by the first that knows.
 * @param here where the text is
 */
export function leadsOf(text: string, here: Place, meant: readonly (Meant | Place)[]): Lead[] {
  const leads = new Map<string, Lead>();
  for (const { from, to } of findLinks(text)) {
    const read = readDestinationText(text.slice(from, to));
    const { said } = read;
    if (read.kind === "foreign" || leads.has(said)) continue;
    const known = resolveIn(read, meant) as DocId | DirId | null;
    if (isId(said) && (known === null || known === said)) {
      // An id that was written is left, whatever moves, unless nothing is known to be there.
      if (resolve(read, here) === null) leads.set(said, { said, at: null, to: said as DocId | DirId });
    } else leads.set(said, { said, at: pathOf(here, known, pathTo(read, here)), to: known });
  }
  return [...leads.values()];
}

/** The destinations of a text's links, without query and fragment. */
export function destinationsOf(text: string): string[] {
  return findLinks(text).map(({ from, to }) => readDestinationText(text.slice(from, to)).said);
}

/** The target's own path, if the link leads to it: another normal form of its name may be said. */
function pathOf(here: Place, id: string | null, literal: string | null): string | null {
  const path = id === null ? null : here.pathOf(id);
  return path !== null && literal !== null && path.normalize() === literal.normalize() ? path : literal;
}

/** What earlier bytes meant by each of their destinations. */
export function meantBy(leads: Iterable<Lead>): Meant {
  const bySaid = new Map<string, string>();
  for (const { said, to } of leads) if (to !== null && !bySaid.has(said)) bySaid.set(said, to);
  return (said) => bySaid.get(said) ?? null;
}
