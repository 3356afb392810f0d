/**
 * Entry point `mdmirror/links`: converts links between ids and relative paths. Links by id survive
 * moves on the service; local editors can follow relative paths. All functions are pure, accept any
 * string, and take linear time. The only possible errors are those that a function of a `Place`
 * throws.
 */

import { type FoundLink, findLinks as find } from "../markdown/links/find.ts";
import * as translate from "../markdown/links/translate.ts";

/**
 * Place of a document, which determines the targets of the document's relative links. Paths are
 * relative to one root folder, with `/` between names and no slash at the ends; `""` is the root.
 * Ids are `doc_…` for documents and `dir_…` for folders. `idAt(pathOf(id))` must be `id`.
 */
export type Place = {
  readonly path: string;
  /** Returns the id of the document or folder at `path`; null if nothing is at `path`. */
  idAt(path: string): string | null;
  /** Returns the path of the document or folder with this id; null if the id is unknown. */
  pathOf(id: string): string | null;
  /**
   * Does the same as `idAt` for absolute destinations: `/plans/a.md` is passed as `plans/a.md`.
   * Default: `idAt`.
   */
  idAtAbsolute?(path: string): string | null;
};

/**
 * A link. `from`, `to`: beginning and end of the link's destination in the document, in UTF-16
 * units. The characters `<` and `>` around a destination do not belong to it.
 */
export type Link = {
  /** Kind of link. A `definition` is a line `[label]: destination`. */
  readonly kind: "link" | "image" | "definition";
  readonly from: number;
  readonly to: number;
  /** Destination as it is written, including escapes, percent signs, query and fragment. */
  readonly destination: string;
};

export type ToDiskOptions = {
  /** Earlier local content. A link with an unchanged target keeps the spelling in this content. */
  readonly previous?: string;
};

export type ToServiceOptions = {
  /**
   * Earlier content on the service. If the target of an absolute path is unchanged, the path stays
   * absolute.
   */
  readonly previous?: string;
  /**
   * Place of the document before documents were moved. A link without a target at the current place
   * is read from this place.
   */
  readonly before?: Place;
};

/**
 * Converts content of the service to content of a local file. Known ids and absolute paths become
 * the shortest relative paths; the path of a folder ends with a slash. `ref://x` becomes `x`.
 * Everything else stays the same, byte for byte.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  return translate.toDisk(text, place, options);
}

/**
 * Converts content of a local file to content of the service. The path of a document or folder
 * becomes the id, followed by the query and the fragment. A path without a target becomes an inert
 * link: `ref://`, then the path as written. Everything else stays the same, byte for byte.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  return translate.toService(text, place, options);
}

/**
 * Updates the links of a local file after documents were moved, so that each link keeps its target.
 * A link that still leads to the target keeps its spelling.
 */
export function respell(text: string, before: Place, after: Place): string {
  return translate.respell(text, before, after);
}

/**
 * Returns the links, images and link definitions of a document, in order. Ignores code, HTML,
 * comments, front matter, autolinks and empty destinations.
 * @returns an empty list if no link can lead to a document, for example if all links are web
 * addresses
 */
export function findLinks(text: string): Link[] {
  return find(text).flatMap(({ kind, from, to }: FoundLink) =>
    kind === "wiki" ? [] : [{ kind, from, to, destination: text.slice(from, to) }],
  );
}
