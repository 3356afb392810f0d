import { type Destination, INERT_SCHEME } from "./destination.ts";
import { type FoundLink, findLinks, readLinkDestination } from "./find.ts";
import { type Place, resolveDestination } from "./place.ts";
import { writeServiceWikiLink } from "./wiki.ts";

/**
 * Remembers how a document spells its links, so that the links keep their spelling when the
 * document is translated again.
 */
export class LinkSpellings {
  readonly #byTarget = new Map<string, (string | undefined)[]>();
  /** Spellings of whole wiki links, by the form that the wiki link has on the service. */
  readonly #wikiLinks = new Map<string, string[]>();
  readonly #isExact: boolean;

  /**
   * @param isWanted returns true if the spelling of a link should be remembered; `id` is the target
   * of the link, or null
   * @param isExact true to use each spelling once, and only for a link with the same words in
   * front of it, query and fragment. False to use the last spelling of a target for all further
   * links to that target
   */
  constructor(
    text: string,
    place: Place,
    isWanted: (read: Destination, id: string | null) => boolean,
    isExact = false,
  ) {
    this.#isExact = isExact;
    for (const link of findLinks(text, place.names !== undefined)) {
      const raw = text.slice(link.from, link.to);
      const destination = readLinkDestination(text, link);
      if (destination.kind === "foreign") continue;
      const id = resolveDestination(destination, place);
      if (link.wiki !== undefined && id !== null && isWanted(destination, id))
        this.#addWikiLink(text, link.wiki, raw, destination, id);
      const counts = destination.kind !== "wiki" && isWanted(destination, id);
      // If the spelling of a link is not remembered, stores undefined in its place, so that the
      // other spellings stay at the right link.
      const spelling = counts ? raw.slice(0, id === null ? raw.length : destination.suffixAt) : undefined;
      addSpelling(this.#byTarget, this.#toKey(text, destination, id, link), spelling);
    }
  }

  #addWikiLink(text: string, wiki: NonNullable<FoundLink["wiki"]>, raw: string, read: Destination, id: string): void {
    const form = wiki.name === null ? `[[${wiki.text}]](${id}${raw.slice(read.suffixAt)})` : null;
    addSpelling(
      this.#wikiLinks,
      form ?? writeServiceWikiLink(id, wiki.heading, wiki.text),
      text.slice(wiki.from, wiki.to),
    );
  }

  /**
   * Returns the spelling for the next link to a target, without query and fragment. The first link
   * gets the first spelling of that target, and so on. Further links get the last spelling, unless
   * `isExact`. A link without a target gets its whole destination. Returns undefined if no spelling
   * is remembered.
   */
  nextSpelling(text: string, read: Destination, id: string | null, link: FoundLink): string | undefined {
    const spellings = this.#byTarget.get(this.#toKey(text, read, id, link));
    return this.#isExact ? spellings?.shift() : takeNextSpelling(spellings);
  }

  #toKey(text: string, read: Destination, id: string | null, link: FoundLink): string {
    const raw = text.slice(link.from, link.to);
    const target = toTargetKey(raw, read, id, link);
    return this.#isExact ? `${target} ${raw.slice(read.suffixAt)} ${readWords(text, link)}` : target;
  }

  nextWikiSpelling(form: string): string | undefined {
    return takeNextSpelling(this.#wikiLinks.get(form));
  }
}

/** LIMIT: number of characters before a destination that distinguish two links to one target. */
const MAX_WORDS = 80;

/**
 * Returns the words in front of a destination, since the last line or parenthesis ended. They
 * contain no other destination, so they are the same in both forms.
 */
function readWords(text: string, { from }: FoundLink): string {
  const words = text.slice(Math.max(0, from - MAX_WORDS), from);
  return words.slice(Math.max(words.lastIndexOf(")"), words.lastIndexOf("\n")) + 1).trim();
}

function addSpelling<T>(spellings: Map<string, T[]>, target: string, spelling: T): void {
  const same = spellings.get(target);
  if (same === undefined) spellings.set(target, [spelling]);
  else same.push(spelling);
}

function takeNextSpelling<T>(spellings: T[] | undefined): T | undefined {
  return spellings === undefined || spellings.length === 1 ? spellings?.[0] : spellings.shift();
}

/**
 * Returns the key under which the spellings of links to one target are stored. Destinations in
 * `<…>` and wiki links have keys of their own, because other links cannot use their spellings.
 */
function toTargetKey(raw: string, { inert }: Destination, id: string | null, { angle, wiki }: FoundLink): string {
  const target = id ?? `nowhere ${inert ? raw.slice(INERT_SCHEME.length) : raw}`;
  if (wiki !== undefined) return `[[${wiki.text}]] ${target}`;
  return angle ? `<${target}>` : target;
}
