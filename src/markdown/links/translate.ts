import { type Destination, INERT } from "./destination.ts";
import { expectLinks, type FoundLink, findLinks, readFound } from "./find.ts";
import { type Place, resolve, spell } from "./place.ts";
import { Spellings } from "./spellings.ts";
import { diskForm, headingOf, serviceForm, type Wiki } from "./wiki.ts";

/**
 * Translates between the two forms of a text. On the service its links are ids, which no move
 * breaks; on disk they are relative paths, which every editor follows. Nothing but destinations is
 * ever replaced.
 */

export type ToDiskOptions = {
  /** The text on disk before. Links that lead to the same keep its spelling. */
  readonly was?: string;
  /** Wiki links by path in that text become wiki links all the same. */
  readonly wikiAnew?: boolean;
};

export type ToServiceOptions = {
  /** The text on the service before. An absolute path in it stays if it leads to the same. */
  readonly was?: string;
  /** Where all documents were before they moved, for links that lead nowhere now. */
  readonly before?: Place;
  /** What the links of the document's bytes of before led to: asked first. */
  readonly stood?: Meant;
  /** The same of older ones: asked last. */
  readonly formerly?: Meant;
};

/** The id that a destination, without query and fragment, stood for; null where it was none. */
export type Meant = (said: string) => string | null;

/**
 * Makes the form on disk. Known ids and absolute paths become relative paths; `ref://…` loses its
 * `ref://`; all else stays.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  const made = diskOf(text, place, options);
  if (!made.hasWiki) return toBeRead(made, place);
  if (hasAsMany(made) && toService(made.result, place) === toService(text, place)) return made.result;
  // What stands around a wiki link would be read as something else without its destination.
  return diskOf(text, { ...place, names: undefined }, options).result;
}

function diskOf(text: string, place: Place, { was, wikiAnew = false }: ToDiskOptions): Respelled {
  const spellings = was === undefined ? null : new Spellings(was, place, isOfDisk);
  return respellEach(text, place, {
    destination: (raw, read, link) => {
      const id = resolve(read, place);
      const before = spellings?.next(raw, read, id, link);
      if (!read.inert && (id === null || isRelative(read))) return null;
      if (id === null) return before ?? (read.kind === "id" ? null : raw.slice(INERT.length));
      const spelled = before ?? spell(id, place, link.angle);
      return spelled === null ? null : spelled + raw.slice(read.suffixAt);
    },
    wiki: (whole, wiki, read, raw, link) => {
      const id = wiki.name === null && read.kind === "id" && !read.inert ? resolve(read, place) : null;
      if (id === null || raw.slice(0, read.suffixAt) !== id) return null;
      const heading = headingOf(raw.slice(read.suffixAt));
      const usual = heading === null ? null : diskForm(id, heading, wiki, place.names!);
      const before = spellings?.nextWiki(whole);
      const keeps = before !== undefined && !(wikiAnew && usual !== null && before.endsWith(")"));
      const spelled = keeps ? before : usual;
      // It has a place in the order of those that are not spelled as a whole.
      if (spelled !== null) spellings?.next(raw, read, id, link);
      return spelled;
    },
  });
}

/**
 * Makes the form on the service. A link to a document or folder becomes its id; one that leads
 * nowhere becomes inert, by `ref://` before what was written. Unknown ids, schemes and lone
 * fragments stay, and so do wiki links of no or more than one document.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  const made = serviceOf(text, place, options);
  const { result } = made;
  if (!made.hasWiki || (hasAsMany(made) && serviceOf(result, place, options).result === result)) return result;
  return serviceOf(text, { ...place, names: undefined }, options).result;
}

/**
 * The same of a text whose links are known, for who reads them again in what comes of it. Wiki
 * links do not count.
 */
export function toServiceFrom(
  text: string,
  found: readonly FoundLink[],
  place: Place,
): { readonly text: string; readonly links: readonly FoundLink[] } {
  const { result, links } = serviceOf(text, place, {}, found);
  return { text: result, links };
}

function serviceOf(
  text: string,
  place: Place,
  { was, before, stood, formerly }: ToServiceOptions,
  found?: readonly FoundLink[],
): Respelled {
  const spellings = was === undefined ? null : new Spellings(was, place, isOfService, true);
  const idOf = (read: Destination) => resolveIn(read, [stood, place, before, formerly]);
  const respell: Respell = {
    destination: (raw, read, link) => {
      const id = idOf(read);
      const spelled = spellings?.next(raw, read, id, link);
      if (id !== null) return (spelled ?? id) + raw.slice(read.suffixAt);
      return read.inert || read.kind === "id" ? null : (spelled ?? INERT + raw);
    },
    wiki: (_whole, { name, heading, text: words }, read, raw, link) => {
      const id = name === null ? null : idOf(read);
      if (id === null) return null;
      spellings?.next(raw, read, id, link);
      return serviceForm(id, heading, words);
    },
  };
  return respellEach(text, place, respell, found);
}

/**
 * Makes the form on disk after documents have moved: each path leads where it led before. A path
 * that still does keeps its spelling.
 * @param isAway of what has no path any more, and is not gone: links to it become ids
 */
export function respell(
  text: string,
  before: Place | Meant,
  after: Place,
  isAway: (id: string) => boolean = () => false,
): string {
  const spellAnew = (id: string, angle: boolean): string | null => (isAway(id) ? id : spell(id, after, angle));
  const made = respellEach(text, after, {
    destination: (raw, read, { angle }) => {
      if (read.inert || read.kind !== "path") return null;
      const id = resolveIn(read, [before]);
      if (id === null || resolve(read, after) === id) return null;
      const spelled = spellAnew(id, angle);
      return spelled === null ? null : spelled + raw.slice(read.suffixAt);
    },
    wiki: (_whole, wiki, read) => {
      const id = wiki.name === null ? null : resolveIn(read, [before]);
      if (id === null || resolve(read, after) === id) return null;
      const path = spellAnew(id, false);
      const { heading, text: words } = wiki;
      return diskForm(id, heading, wiki, after.names!) ?? (path && serviceForm(path, heading, words));
    },
  });
  return toBeRead(made, after);
}

/** What the links of a text lead to is often asked for next: it need not be parsed for that. */
function toBeRead({ result, links }: Respelled, { names }: Place): string {
  if (names === undefined) expectLinks(result, links);
  return result;
}

/** @returns the id by the first that knows what the destination leads to */
export function resolveIn(read: Destination, meant: readonly (Meant | Place | undefined)[]): string | null {
  for (const one of meant) {
    const id = one === undefined ? null : typeof one === "function" ? one(read.said) : resolve(read, one);
    if (id !== null) return id;
  }
  return null;
}

function isRelative({ kind, said }: Destination): boolean {
  return kind === "path" && !said.startsWith("/");
}

/**
 * Whether the form on disk may keep a spelling: any that leads somewhere, else those with `ref://`.
 */
function isOfDisk({ inert }: Destination, id: string | null): boolean {
  return id !== null || inert;
}

function isOfService(read: Destination): boolean {
  return !read.inert && read.kind === "path" && read.said.startsWith("/");
}

type Respell = {
  /** @returns the destination anew; null where it stays */
  readonly destination: (raw: string, read: Destination, link: FoundLink) => string | null;
  /**
   * @param raw its destination
   * @returns all of a wiki link anew; null where it stays, or only its destination does not
   */
  readonly wiki: (whole: string, wiki: Wiki, read: Destination, raw: string, link: FoundLink) => string | null;
};

type Respelled = {
  readonly result: string;
  /** Where the destinations stand in it; of a text with wiki links, not to be relied on. */
  readonly links: readonly FoundLink[];
  /** Whether a wiki link was written anew. */
  readonly hasWiki: boolean;
};

/** Replaces destinations. A text without any to replace is returned itself. */
function respellEach(
  text: string,
  { names }: Place,
  respell: Respell,
  found: readonly FoundLink[] = findLinks(text, names !== undefined),
): Respelled {
  const links: FoundLink[] = [];
  let result = "";
  let end = 0;
  let hasWiki = false;
  for (const link of found) {
    const read = readFound(text, link);
    const { span, written, isWiki } = respellOne(text, link, read, respell);
    const by = result.length - end;
    if (written === null || written === text.slice(span.from, span.to)) {
      links.push({ ...link, from: link.from + by, to: link.to + by });
      continue;
    }
    hasWiki ||= isWiki;
    links.push({ ...link, from: link.from + by, to: link.from + by + written.length });
    result += text.slice(end, span.from) + written;
    end = span.to;
  }
  return { result: end === 0 ? text : result + text.slice(end), links, hasWiki };
}

/** Whether each link of the text was found in what was made of it, with wiki links. */
function hasAsMany({ result, links }: Respelled): boolean {
  return findLinks(result, true).length === links.length;
}

type One = { readonly span: Pick<Wiki, "from" | "to">; readonly written: string | null; readonly isWiki: boolean };

function respellOne(text: string, link: FoundLink, read: Destination, respell: Respell): One {
  const raw = text.slice(link.from, link.to);
  const { wiki } = link;
  if (wiki !== undefined) {
    const written = respell.wiki(text.slice(wiki.from, wiki.to), wiki, read, raw, link);
    if (written !== null || wiki.name !== null) return { span: wiki, written, isWiki: true };
  }
  return { span: link, written: read.kind === "foreign" ? null : respell.destination(raw, read, link), isWiki: false };
}
