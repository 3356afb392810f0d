import { type Destination, INERT, readDestinationText } from "./destination.ts";
import { findLinks } from "./find.ts";
import { type Place, resolve } from "./place.ts";

/** How a text spells its links, so that its other form can spell them alike. */
export class Spellings {
  private readonly byTarget = new Map<string, (string | undefined)[]>();

  /** @param isWanted whether a link's spelling counts; `id` is what the link leads to */
  constructor(text: string, place: Place, isWanted: (read: Destination, id: string | null) => boolean) {
    for (const { from, to, angle } of findLinks(text)) {
      const raw = text.slice(from, to);
      const read = readDestinationText(raw);
      if (read.kind === "foreign") continue;
      const id = resolve(read, place);
      const target = targetOf(raw, read, id, angle);
      // A link that does not count keeps its place in the order, and is spelled anew.
      const spelled = isWanted(read, id) ? raw.slice(0, id === null ? raw.length : read.suffixAt) : undefined;
      const same = this.byTarget.get(target);
      if (same === undefined) this.byTarget.set(target, [spelled]);
      else same.push(spelled);
    }
  }

  /**
   * The spelling of the next link to the same target in the order of the text, or of the last one
   * when there are no more; without query and fragment, unless it leads nowhere. Undefined where
   * there is no such link.
   */
  next(raw: string, read: Destination, id: string | null, angle: boolean): string | undefined {
    const spelled = this.byTarget.get(targetOf(raw, read, id, angle));
    return spelled === undefined || spelled.length === 1 ? spelled?.[0] : spelled.shift();
  }
}

/** Spellings with and without `<…>` are kept apart: neither can replace the other. */
function targetOf(raw: string, { inert }: Destination, id: string | null, angle: boolean): string {
  const target = id ?? `nowhere ${inert ? raw.slice(INERT.length) : raw}`;
  return angle ? `<${target}>` : target;
}
