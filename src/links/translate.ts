import { type Destination, INERT, readDestinationText } from "./destination.ts";
import { type FoundLink, findLinks } from "./find.ts";
import { type Place, resolve, spell } from "./place.ts";
import { Spellings } from "./spellings.ts";

/**
 * Translates between the two forms of a text. On the service its links are ids, which no move
 * breaks; on disk they are relative paths, which every editor follows. Nothing but destinations is
 * ever replaced.
 */

export type ToDiskOptions = {
  /** The text on disk before. Links that lead to the same keep its spelling. */
  readonly was?: string;
};

export type ToServiceOptions = {
  /** The text on the service before. An absolute path in it stays if it leads to the same. */
  readonly was?: string;
  /** Where all documents were before they moved, for links that lead nowhere now. */
  readonly before?: Place;
  /** What the links of the document's bytes of before led to: asked first. */
  readonly stood?: Meant;
};

/** The id that a destination, without query and fragment, stood for; null where it was none. */
export type Meant = (said: string) => string | null;

/**
 * Makes the form on disk. Known ids and absolute paths become relative paths; `ref://…` loses its
 * `ref://`; all else stays.
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
 * Makes the form on the service. A link to a document or folder becomes its id; one that leads
 * nowhere becomes inert, by `ref://` before what was written. Unknown ids, schemes and lone
 * fragments stay.
 */
export function toService(text: string, place: Place, { was, before, stood }: ToServiceOptions = {}): string {
  const spellings = was === undefined ? null : new Spellings(was, place, isOfService);
  return respellEach(text, (raw, read, { angle }) => {
    const id = resolveIn(read, [stood, place, before]);
    const spelled = spellings?.next(raw, read, id, angle);
    if (id !== null) return (spelled ?? id) + raw.slice(read.suffixAt);
    return read.inert || read.kind === "id" ? null : (spelled ?? INERT + raw);
  });
}

/**
 * Makes the form on disk after documents have moved: each path leads where it led before. A path
 * that still does keeps its spelling.
 */
export function respell(text: string, before: Place | Meant, after: Place): string {
  return respellEach(text, (raw, read, { angle }) => {
    if (read.inert || read.kind !== "path") return null;
    const id = resolveIn(read, [before]);
    if (id === null || resolve(read, after) === id) return null;
    const spelled = spell(id, after, angle);
    return spelled === null ? null : spelled + raw.slice(read.suffixAt);
  });
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

type Respell = (raw: string, read: Destination, link: FoundLink) => string | null;

/** Replaces destinations. A text without any to replace is returned itself. */
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
