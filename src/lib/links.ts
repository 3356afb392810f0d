/**
 * Entry point `mdmirror/links`: converts links between documents. The service stores links by id,
 * so that moves do not break them. Local files have relative paths, so that editors can follow
 * them. All functions are pure and accept any string. They never throw, and take time linear in the
 * length of the string.
 */

import { type FoundLink, findLinks as find } from "../markdown/links/find.ts";
import * as translate from "../markdown/links/translate.ts";

/**
 * Place of a document, from which its relative links lead to other documents. Paths are relative to
 * one root folder, with `/` between names and no slash at the ends; `""` is the root. Ids are
 * `doc_…` for documents and `dir_…` for folders. `idAt(pathOf(id))` must be `id`. If `idAt` or
 * `pathOf` throws, the converting function throws the same exception.
 */
export type Place = {
  /** Path of the document. */
  readonly path: string;
  /** Returns the id of the document or folder at `path`; null if there is none. */
  idAt(path: string): string | null;
  /** Returns the path of the document or folder with this id; null if there is none. */
  pathOf(id: string): string | null;
  /**
   * Returns the id of the document or folder at an absolute destination: `/plans/a.md` is passed as
   * `plans/a.md`. Left out if absolute destinations have the same root as `idAt`.
   */
  idAtAbsolute?(path: string): string | null;
};

/**
 * A link in a Markdown document. `from` and `to` are the start and end of its destination in UTF-16
 * units, without `<` and `>`.
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
  /**
   * Content of the local file before the conversion. A link that still leads to the same target
   * keeps its spelling from there.
   */
  readonly previous?: string;
};

export type ToServiceOptions = {
  /**
   * Content on the service before the conversion. A link that is an absolute path there stays an
   * absolute path if its target is the same.
   */
  readonly previous?: string;
  /**
   * Place of the document before it or other documents were moved. Finds the targets of links that
   * have no target at the current place.
   */
  readonly before?: Place;
};

/**
 * Converts content of the service to content of a local file. Known ids and absolute paths become
 * the shortest relative paths; the path of a folder ends with a slash. `ref://x` becomes `x`.
 * Everything else stays unchanged, byte for byte.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  return translate.toDisk(text, place, options);
}

/**
 * Converts content of a local file to content of the service. A path of a document or folder
 * becomes its id, with query and fragment. A path without a target becomes inactive: `ref://`, then
 * the path as written. Everything else stays unchanged, byte for byte.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  return translate.toService(text, place, options);
}

/**
 * Updates the links of a local file after documents were moved, so that each link keeps its target.
 * A link that still leads to its target keeps its spelling.
 * @param before place of the document before the move
 * @param after place of the document after the move
 */
export function respell(text: string, before: Place, after: Place): string {
  return translate.respell(text, before, after);
}

/**
 * Returns the links, images and link definitions of a document, in order. Ignores code, HTML,
 * comments, front matter, autolinks and empty destinations.
 * @returns an empty list if no link can lead to a document
 */
export function findLinks(text: string): Link[] {
  return find(text).flatMap(({ kind, from, to }: FoundLink) =>
    kind === "wiki" ? [] : [{ kind, from, to, destination: text.slice(from, to) }],
  );
}
