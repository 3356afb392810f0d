import { type Destination, INERT, readDestinationText } from "./destination.ts";
import { type FoundLink, findLinks } from "./find.ts";
import { type Place, resolve, spell } from "./place.ts";
import { Spellings } from "./spellings.ts";

/**
 * One text in two forms. The service's holds links by id, which no move breaks; the disk's holds
 * relative paths, which every editor follows. Only destinations are ever replaced.
 */

export type ToDiskOptions = {
  /** The disk's text of before: where it leads to the same, its spelling stays. */
  readonly was?: string;
};

export type ToServiceOptions = {
  /** The service's text of before: an absolute path in it stays if it leads to the same. */
  readonly was?: string;
  /** Where the document and all others were before they moved: asked for what leads nowhere now. */
  readonly before?: Place;
};

/**
 * The disk's form: ids and absolute paths that are known become relative paths; `ref://…` becomes
 * what stands behind it. Relative paths and all else stay as they are.
 */
export function toDisk(text: string, place: Place, { was }: ToDiskOptions = {}): string {
  const spellings = was === undefined ? null : new Spellings(was, place, isOfDisk);
  return respellEach(text, (raw, read, { angle }) => {
    const id = resolve(read, place);
    const before = spellings?.next(raw, read, id, angle);
    if (!read.inert && (id === null || isRelative(read))) return null;
    if (id === null) return before ?? (read.kind === "id" ? null : raw.slice(INERT.length));
    const spelled = before ?? spell(id, place, angle);
    return spelled === null ? null : spelled + raw.slice(read.suffixAt);
  });
}

/**
 * The service's form: what leads to a document or folder becomes its id; what leads nowhere becomes
 * inert, `ref://` and what was written. An unknown id, and what has a scheme or only a fragment,
 * stay.
 */
export function toService(text: string, place: Place, { was, before }: ToServiceOptions = {}): string {
  const spellings = was === undefined ? null : new Spellings(was, place, isOfService);
  return respellEach(text, (raw, read, { angle }) => {
    const id = resolve(read, place) ?? (before === undefined ? null : resolve(read, before));
    const spelled = spellings?.next(raw, read, id, angle);
    if (id !== null) return (spelled ?? id) + raw.slice(read.suffixAt);
    return read.inert || read.kind === "id" ? null : (spelled ?? INERT + raw);
  });
}

/**
 * The disk's text after documents have moved: each path that led somewhere before leads there now.
 * What still does keeps its spelling.
 */
export function respell(text: string, before: Place, after: Place): string {
  return respellEach(text, (raw, read, { angle }) => {
    if (read.inert || read.kind !== "path") return null;
    const id = resolve(read, before);
    if (id === null || resolve(read, after) === id) return null;
    const spelled = spell(id, after, angle);
    return spelled === null ? null : spelled + raw.slice(read.suffixAt);
  });
}

function isRelative({ kind, said }: Destination): boolean {
  return kind === "path" && !said.startsWith("/");
}

/** Any spelling is one that the disk may have; of what leads nowhere, the `ref://` ones matter. */
function isOfDisk({ inert }: Destination, id: string | null): boolean {
  return id !== null || inert;
}

function isOfService(read: Destination): boolean {
  return !read.inert && read.kind === "path" && read.said.startsWith("/");
}

type Respell = (raw: string, read: Destination, link: FoundLink) => string | null;

/** Splices; a text of which nothing is replaced is returned as it is. */
function respellEach(text: string, respellOne: Respell): string {
  let result = "";
  let end = 0;
  for (const link of findLinks(text)) {
    const raw = text.slice(link.from, link.to);
    const read = readDestinationText(raw);
    const written = read.kind === "foreign" ? null : respellOne(raw, read, link);
    if (written === null || written === raw) continue;
    result += text.slice(end, link.from) + written;
    end = link.to;
  }
  return end === 0 ? text : result + text.slice(end);
}
