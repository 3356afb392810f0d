/**
 * Translates between the two forms of a document. On the service its links are ids, which no move
 * breaks; locally they are relative paths, which every editor follows. Only destinations are ever
 * replaced.
 */

import { type Destination, INERT_SCHEME } from "./destination.ts";
import { type FoundLink, findLinks, readFound } from "./find.ts";
import { type Place, resolveDestination, shortestDestination } from "./place.ts";
import { Spellings } from "./spellings.ts";
import { wikiLocalForm, headingOf, wikiServiceForm, type WikiLink } from "./wiki.ts";

export type ToDiskOptions = {
  /** Earlier local content. Links to the same targets keep the spelling that they have in it. */
  readonly previous?: string;
  /** True if a wiki link that `previous` spells `[[Name]](path)` becomes `[[Name]]` again. */
  readonly restoresWiki?: boolean;
};

export type ToServiceOptions = {
  /** Earlier content on the service. An absolute path in it stays if it has the same target. */
  readonly previous?: string;
  /** Lookup of the paths before a move, for links whose target is no longer at its path. */
  readonly before?: Place;
  /** Targets of the links in the file's previous bytes; used first. */
  readonly earlierTargets?: TargetLookup;
  /** Targets of the links in even older bytes of the file; used last. */
  readonly formerTargets?: TargetLookup;
};

/** Returns the id to which a destination, without query and fragment, led; null if to none. */
export type TargetLookup = (destination: string) => string | null;

/**
 * Makes the local form. Known ids and absolute paths become relative paths; `ref://…` loses its
 * `ref://`; everything else stays.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  const draft = diskOf(text, place, options);
  if (!draft.hasWiki) return draft.result;
  if (hasAllLinks(draft) && toService(draft.result, place) === toService(text, place)) return draft.result;
  // A wiki link has no destination in parentheses. Without these, the text around the link may be
  // read in another way, so all links become Markdown links.
  return diskOf(text, { ...place, names: undefined }, options).result;
}

function diskOf(text: string, place: Place, { previous, restoresWiki = false }: ToDiskOptions): RewrittenLinks {
  const spellings = previous === undefined ? null : new Spellings(previous, place, isOfDisk);
  return respellEach(text, place, {
    destination: (raw, read, link) => {
      const id = resolveDestination(read, place);
      const before = spellings?.next(raw, read, id, link);
      if (!read.inert && (id === null || isRelative(read))) return null;
      if (id === null) return before ?? (read.kind === "id" ? null : raw.slice(INERT_SCHEME.length));
      const spelled = before ?? shortestDestination(id, place, link.angle);
      return spelled === null ? null : spelled + raw.slice(read.suffixAt);
    },
    wiki: (whole, wiki, read, raw, link) => {
      const id = wiki.name === null && read.kind === "id" && !read.inert ? resolveDestination(read, place) : null;
      if (id === null || raw.slice(0, read.suffixAt) !== id) return null;
      const heading = headingOf(raw.slice(read.suffixAt));
      const defaultForm = heading === null ? null : wikiLocalForm(id, heading, wiki, place.names!);
      const before = spellings?.nextWiki(whole);
      const keeps = before !== undefined && !(restoresWiki && defaultForm !== null && before.endsWith(")"));
      const spelled = keeps ? before : defaultForm;
      // Takes this link's spelling from the list too, so that the links after it get their own
      // spellings.
      if (spelled !== null) spellings?.next(raw, read, id, link);
      return spelled;
    },
  });
}

/**
 * Makes the service's form. A link to a document or folder becomes its id. A link without a target
 * becomes inert, by `ref://` before its destination. Unknown ids, schemes and lone fragments stay
 * unchanged. So does a wiki link whose name fits no document, or more than one.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  const draft = serviceOf(text, place, options);
  const { result } = draft;
  if (!draft.hasWiki || (hasAllLinks(draft) && serviceOf(result, place, options).result === result)) return result;
  return serviceOf(text, { ...place, names: undefined }, options).result;
}

function serviceOf(
  text: string,
  place: Place,
  { previous, before, earlierTargets, formerTargets }: ToServiceOptions,
): RewrittenLinks {
  const spellings = previous === undefined ? null : new Spellings(previous, place, isOfService, true);
  const idOf = (read: Destination) => resolveInOrder(read, [earlierTargets, place, before, formerTargets]);
  const respell: LinkWriter = {
    destination: (raw, read, link) => {
      const id = idOf(read);
      const spelled = spellings?.next(raw, read, id, link);
      if (id !== null) return (spelled ?? id) + raw.slice(read.suffixAt);
      return read.inert || read.kind === "id" ? null : (spelled ?? INERT_SCHEME + raw);
    },
    wiki: (_whole, { name, heading, text: words }, read, raw, link) => {
      const id = name === null ? null : idOf(read);
      if (id === null) return null;
      spellings?.next(raw, read, id, link);
      return wikiServiceForm(id, heading, words);
    },
  };
  return respellEach(text, place, respell);
}

/**
 * Makes the local form after documents have moved: each path keeps its target. A path that still
 * leads to its target keeps its spelling.
 * @param isAway returns true for a target that no longer has a path but is not deleted: links to it
 * become ids
 */
export function respell(
  text: string,
  before: Place | TargetLookup,
  after: Place,
  isAway: (id: string) => boolean = () => false,
): string {
  const newSpelling = (id: string, angle: boolean): string | null =>
    isAway(id) ? id : shortestDestination(id, after, angle);
  return respellEach(text, after, {
    destination: (raw, read, { angle }) => {
      if (read.inert || read.kind !== "path") return null;
      const id = resolveInOrder(read, [before]);
      if (id === null || resolveDestination(read, after) === id) return null;
      const spelled = newSpelling(id, angle);
      return spelled === null ? null : spelled + raw.slice(read.suffixAt);
    },
    wiki: (_whole, wiki, read) => {
      const id = wiki.name === null ? null : resolveInOrder(read, [before]);
      if (id === null || resolveDestination(read, after) === id) return null;
      const path = newSpelling(id, false);
      const { heading, text: words } = wiki;
      return wikiLocalForm(id, heading, wiki, after.names!) ?? (path && wikiServiceForm(path, heading, words));
    },
  }).result;
}

/** Returns the id of a destination's target, from the first source that knows it. */
export function resolveInOrder(read: Destination, order: readonly (TargetLookup | Place | undefined)[]): string | null {
  for (const one of order) {
    const id = one === undefined ? null : typeof one === "function" ? one(read.target) : resolveDestination(read, one);
    if (id !== null) return id;
  }
  return null;
}

function isRelative({ kind, target }: Destination): boolean {
  return kind === "path" && !target.startsWith("/");
}

/**
 * Returns true if the local form may keep a link's spelling: it has a target or begins with
 * `ref://`.
 */
function isOfDisk({ inert }: Destination, id: string | null): boolean {
  return id !== null || inert;
}

function isOfService(read: Destination): boolean {
  return !read.inert && read.kind === "path" && read.target.startsWith("/");
}

type LinkWriter = {
  /** Returns the new destination of a link; null if the destination stays. */
  readonly destination: (raw: string, read: Destination, link: FoundLink) => string | null;
  /**
   * @param raw destination of the wiki link
   * @returns the whole new wiki link; null if the link stays, or only its destination changes
   */
  readonly wiki: (whole: string, wiki: WikiLink, read: Destination, raw: string, link: FoundLink) => string | null;
};

type RewrittenLinks = {
  readonly result: string;
  /** Number of links in the document. */
  readonly count: number;
  /** True if the new document has a new wiki link. */
  readonly hasWiki: boolean;
};

/** Replaces destinations. Returns the same document if no destination has to be replaced. */
function respellEach(text: string, { names }: Place, respell: LinkWriter): RewrittenLinks {
  const links = findLinks(text, names !== undefined);
  let result = "";
  let end = 0;
  let hasWiki = false;
  for (const link of links) {
    const read = readFound(text, link);
    const { span, written, isWiki } = respellOne(text, link, read, respell);
    if (written === null || written === text.slice(span.from, span.to)) continue;
    hasWiki ||= isWiki;
    result += text.slice(end, span.from) + written;
    end = span.to;
  }
  return { result: end === 0 ? text : result + text.slice(end), count: links.length, hasWiki };
}

/** Returns true if the result, read with wiki links, has as many links as the document. */
function hasAllLinks({ result, count }: RewrittenLinks): boolean {
  return findLinks(result, true).length === count;
}

type WrittenLink = {
  readonly span: Pick<WikiLink, "from" | "to">;
  readonly written: string | null;
  readonly isWiki: boolean;
};

function respellOne(text: string, link: FoundLink, read: Destination, respell: LinkWriter): WrittenLink {
  const raw = text.slice(link.from, link.to);
  const { wiki } = link;
  if (wiki !== undefined) {
    const written = respell.wiki(text.slice(wiki.from, wiki.to), wiki, read, raw, link);
    if (written !== null || wiki.name !== null) return { span: wiki, written, isWiki: true };
  }
  return { span: link, written: read.kind === "foreign" ? null : respell.destination(raw, read, link), isWiki: false };
}
