/**
 * Translates a document between its two forms. On the service, links are ids, which a move does not
 * break. In local files, links are relative paths, which every editor can follow. Only the
 * destinations of links are replaced.
 */
import { type Destination, INERT_SCHEME } from "./destination.ts";
import { findLinks, type FoundLink, readLinkDestination } from "./find.ts";
import { makeShortestDestination, type Place, resolveDestination } from "./place.ts";
import { readWikiHeading, type WikiLink, writeLocalWikiLink, writeServiceWikiLink } from "./wiki.ts";

export type ToDiskOptions = {
  /**
   * Earlier local form of the document. A link keeps its spelling from this form if the link still
   * has the same target.
   */
  readonly previous?: string;
  /**
   * True to replace the spelling `[[Name]](path)` of a wiki link in `previous` by `[[Name]]`, if
   * `[[Name]]` leads to the same target.
   */
  readonly restoresWiki?: boolean;
};

export type ToServiceOptions = {
  /**
   * Earlier content on the service. Links with absolute paths in this content stay unchanged if
   * they still have the same targets.
   */
  readonly previous?: string;
  /** Paths and ids before a move, for links that still contain the old path of their target. */
  readonly before?: Place;
  /** Targets of the links before the last edit. `toService` uses this lookup first. */
  readonly earlierTargets?: TargetLookup;
  /** Targets of the links before earlier edits. `toService` uses this lookup last. */
  readonly formerTargets?: TargetLookup;
};

/**
 * Function that returns the id of the target of a destination without query and fragment. Returns
 * null if the target is unknown.
 */
export type TargetLookup = (destination: string) => string | null;

/**
 * Returns the local form of a document from its form on the service. Ids of known documents and
 * absolute paths become relative paths. `ref://` before a destination is removed. Other
 * destinations stay unchanged.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  const newDocument = rewriteForDisk(text, place, options);
  if (!newDocument.hasWiki) return newDocument.result;
  if (hasAllLinks(newDocument) && toService(newDocument.result, place) === toService(text, place))
    return newDocument.result;
  // Wiki links without a destination in parentheses would change how the rest of this document is
  // read. So all links of the document become Markdown links.
  return rewriteForDisk(text, { ...place, names: undefined }, options).result;
}

function rewriteForDisk(
  text: string,
  place: Place,
  { previous, restoresWiki = false }: ToDiskOptions,
): RewrittenDocument {
  const spellings = previous === undefined ? null : new LinkSpellings(previous, place, keepsLocalSpelling);
  return rewriteLinks(text, place, {
    destination: (raw, read, link) => {
      const id = resolveDestination(read, place);
      const earlierSpelling = spellings?.nextSpelling(text, read, id, link);
      if (!read.inert && (id === null || isRelative(read))) return null;
      if (id === null) return earlierSpelling ?? (read.kind === "id" ? null : raw.slice(INERT_SCHEME.length));
      const spelling = earlierSpelling ?? makeShortestDestination(id, place, link.angle);
      return spelling === null ? null : spelling + raw.slice(read.suffixAt);
    },
    wiki: (whole, wiki, read, raw, link) => {
      const id = wiki.name === null && read.kind === "id" && !read.inert ? resolveDestination(read, place) : null;
      if (id === null || raw.slice(0, read.suffixAt) !== id) return null;
      const heading = readWikiHeading(raw.slice(read.suffixAt));
      const defaultForm = heading === null ? null : writeLocalWikiLink(id, heading, wiki, place.names!);
      const earlierForm = spellings?.nextWikiSpelling(whole);
      const keepsForm =
        earlierForm !== undefined && !(restoresWiki && defaultForm !== null && earlierForm.endsWith(")"));
      const spelling = keepsForm ? earlierForm : defaultForm;
      // The spelling of the link as a Markdown link is also removed from `spellings`. Otherwise the
      // next link to the same target would get the removed spelling.
      if (spelling !== null) spellings?.nextSpelling(text, read, id, link);
      return spelling;
    },
  });
}

/**
 * Returns the form of a document on the service from its local form.
 * - A link to a document or folder becomes its id.
 * - A link without a target gets `ref://` before its destination.
 * - Unknown ids, other schemes and lone fragments stay unchanged.
 * - A wiki link stays unchanged if no document has its name, or more than one.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  const newDocument = rewriteForService(text, place, options);
  const { result } = newDocument;
  if (!newDocument.hasWiki || (hasAllLinks(newDocument) && rewriteForService(result, place, options).result === result))
    return result;
  return rewriteForService(text, { ...place, names: undefined }, options).result;
}

function rewriteForService(
  text: string,
  place: Place,
  { previous, before, earlierTargets, formerTargets }: ToServiceOptions,
): RewrittenDocument {
  const spellings = previous === undefined ? null : new LinkSpellings(previous, place, keepsServiceSpelling, true);
  const idOf = (read: Destination) => resolveByFirstSource(read, [earlierTargets, place, before, formerTargets]);
  const respell: LinkWriter = {
    destination: (raw, read, link) => {
      const id = idOf(read);
      const spelling = spellings?.nextSpelling(text, read, id, link);
      if (id !== null) return (spelling ?? id) + raw.slice(read.suffixAt);
      return read.inert || read.kind === "id" ? null : (spelling ?? INERT_SCHEME + raw);
    },
    wiki: (_whole, { name, heading, text: words }, read, _raw, link) => {
      const id = name === null ? null : idOf(read);
      if (id === null) return null;
      spellings?.nextSpelling(text, read, id, link);
      return writeServiceWikiLink(id, heading, words);
    },
  };
  return rewriteLinks(text, place, respell);
}

/**
 * Returns the local form of a document after other documents have moved. Each link of the result
 * still leads to its target. A destination that leads to its target anyway keeps its spelling.
 * @param before ids of targets before the move
 * @param after paths and ids after the move
 * @param isAway returns true for a target that has no local path any more, but still exists on the
 * service; links to such a target become ids
 */
export function respell(
  text: string,
  before: Place | TargetLookup,
  after: Place,
  isAway: (id: string) => boolean = () => false,
): string {
  const newSpelling = (id: string, angle: boolean): string | null =>
    isAway(id) ? id : makeShortestDestination(id, after, angle);
  return rewriteLinks(text, after, {
    destination: (raw, read, { angle }) => {
      if (read.inert || read.kind !== "path") return null;
      const id = resolveByFirstSource(read, [before]);
      if (id === null || resolveDestination(read, after) === id) return null;
      const spelling = newSpelling(id, angle);
      return spelling === null ? null : spelling + raw.slice(read.suffixAt);
    },
    wiki: (_whole, wiki, read) => {
      const id = wiki.name === null ? null : resolveByFirstSource(read, [before]);
      if (id === null || resolveDestination(read, after) === id) return null;
      const path = newSpelling(id, false);
      const { heading, text: words } = wiki;
      return (
        writeLocalWikiLink(id, heading, wiki, after.names!) ?? (path && writeServiceWikiLink(path, heading, words))
      );
    },
  }).result;
}

export function resolveByFirstSource(
  read: Destination,
  order: readonly (TargetLookup | Place | undefined)[],
): string | null {
  for (const source of order) {
    const id =
      source === undefined
        ? null
        : typeof source === "function"
          ? source(read.target)
          : resolveDestination(read, source);
    if (id !== null) return id;
  }
  return null;
}

function isRelative({ kind, target }: Destination): boolean {
  return kind === "path" && !target.startsWith("/");
}

function keepsLocalSpelling({ inert }: Destination, id: string | null): boolean {
  return id !== null || inert;
}

function keepsServiceSpelling(read: Destination): boolean {
  return !read.inert && read.kind === "path" && read.target.startsWith("/");
}

type LinkWriter = {
  /** Returns the new destination of a link; null to keep the old one. */
  readonly destination: (raw: string, read: Destination, link: FoundLink) => string | null;
  /**
   * Returns the whole new wiki link; null to keep the wiki link, or to change only its destination.
   * @param whole the wiki link as the document has it
   * @param raw destination of the wiki link
   */
  readonly wiki: (whole: string, wiki: WikiLink, read: Destination, raw: string, link: FoundLink) => string | null;
};

type RewrittenDocument = {
  readonly result: string;
  readonly count: number;
  readonly hasWiki: boolean;
};

function rewriteLinks(text: string, { names }: Place, respell: LinkWriter): RewrittenDocument {
  const links = findLinks(text, names !== undefined);
  let result = "";
  let copiedUpTo = 0;
  let hasWiki = false;
  for (const link of links) {
    const linkDestination = readLinkDestination(text, link);
    const rawDestination = text.slice(link.from, link.to);
    const { wiki } = link;
    const newWiki =
      wiki === undefined
        ? null
        : respell.wiki(text.slice(wiki.from, wiki.to), wiki, linkDestination, rawDestination, link);
    // A wiki link in the local form has no destination of its own that could change.
    const isWiki = wiki !== undefined && (newWiki !== null || wiki.name !== null);
    const span = isWiki ? wiki : link;
    const newText =
      isWiki || linkDestination.kind === "foreign"
        ? newWiki
        : respell.destination(rawDestination, linkDestination, link);
    if (newText === null || newText === text.slice(span.from, span.to)) continue;
    hasWiki ||= isWiki;
    result += text.slice(copiedUpTo, span.from) + newText;
    copiedUpTo = span.to;
  }
  return { result: copiedUpTo === 0 ? text : result + text.slice(copiedUpTo), count: links.length, hasWiki };
}

function hasAllLinks({ result, count }: RewrittenDocument): boolean {
  return findLinks(result, true).length === count;
}

/**
 * Remembers how a document spells its links. The links then keep their spelling when the document
 * is translated again.
 */
class LinkSpellings {
  readonly #byTarget = new Map<string, (string | undefined)[]>();
  /** Spellings of whole wiki links, by the form that the wiki link has on the service. */
  readonly #wikiLinks = new Map<string, string[]>();
  readonly #isExact: boolean;

  /**
   * @param isWanted returns true if the spelling of a link should be remembered; `id` is the target
   * of the link, or null
   * @param isExact true: each spelling is used once, and only for a link with the same query,
   * fragment and preceding words. False: the last spelling of a target is used for all further
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
      const rawDestination = text.slice(link.from, link.to);
      const destination = readLinkDestination(text, link);
      if (destination.kind === "foreign") continue;
      const id = resolveDestination(destination, place);
      if (link.wiki !== undefined && id !== null && isWanted(destination, id))
        this.#addWikiLink(text, link.wiki, rawDestination, destination, id);
      const isRemembered = destination.kind !== "wiki" && isWanted(destination, id);
      // If the spelling of a link is not remembered, undefined is stored in its place. The other
      // spellings then stay at the right links.
      const spelling = isRemembered
        ? rawDestination.slice(0, id === null ? rawDestination.length : destination.suffixAt)
        : undefined;
      addSpelling(this.#byTarget, this.#toKey(text, destination, id, link), spelling);
    }
  }

  #addWikiLink(text: string, wiki: NonNullable<FoundLink["wiki"]>, raw: string, read: Destination, id: string): void {
    const serviceForm = wiki.name === null ? `[[${wiki.text}]](${id}${raw.slice(read.suffixAt)})` : null;
    addSpelling(
      this.#wikiLinks,
      serviceForm ?? writeServiceWikiLink(id, wiki.heading, wiki.text),
      text.slice(wiki.from, wiki.to),
    );
  }

  /**
   * Returns the spelling for the next link to a target, without query and fragment. The first link
   * gets the first spelling of that target, and so on. Further links get the last spelling, unless
   * `isExact` is true. A link without a target gets its whole destination. Returns undefined if no
   * spelling is remembered.
   */
  nextSpelling(text: string, read: Destination, id: string | null, link: FoundLink): string | undefined {
    const spellings = this.#byTarget.get(this.#toKey(text, read, id, link));
    return this.#isExact ? spellings?.shift() : takeNextSpelling(spellings);
  }

  #toKey(text: string, read: Destination, id: string | null, link: FoundLink): string {
    const rawDestination = text.slice(link.from, link.to);
    const target = toTargetKey(rawDestination, read, id, link);
    if (!this.#isExact || id === null) return target;
    return `${target} ${rawDestination.slice(read.suffixAt)} ${readWords(text, link)}`;
  }

  nextWikiSpelling(form: string): string | undefined {
    return takeNextSpelling(this.#wikiLinks.get(form));
  }
}

/**
 * LIMIT: number of characters before a destination that are compared to distinguish two links to
 * one target, so that a comparison takes limited time.
 */
const MAX_WORDS = 80;

/**
 * Returns the words in front of a destination, after the last line break or link. These words
 * contain no other link, so they are the same in both forms of the document.
 */
function readWords(text: string, { from }: FoundLink): string {
  const words = text.slice(Math.max(0, from - MAX_WORDS), from);
  return words.replace(/^.*(?:\)|\]\]|\n)/s, "").trim();
}

function addSpelling<T>(spellings: Map<string, T[]>, target: string, spelling: T): void {
  const spellingsOfTarget = spellings.get(target);
  if (spellingsOfTarget === undefined) spellings.set(target, [spelling]);
  else spellingsOfTarget.push(spelling);
}

function takeNextSpelling<T>(spellings: T[] | undefined): T | undefined {
  return spellings === undefined || spellings.length === 1 ? spellings?.[0] : spellings.shift();
}

/**
 * Returns the key under which the spellings of links to one target are stored. Destinations in
 * `<…>` and wiki links have separate keys, because links of other kinds cannot use these spellings.
 */
function toTargetKey(raw: string, { inert }: Destination, id: string | null, { angle, wiki }: FoundLink): string {
  const target = id ?? `nowhere ${inert ? raw.slice(INERT_SCHEME.length) : raw}`;
  if (wiki !== undefined) return `[[${wiki.text}]] ${target}`;
  return angle ? `<${target}>` : target;
}
