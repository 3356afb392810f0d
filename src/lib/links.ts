/**
 * `import … from "mdmirror/links"`: converts links between documents. A service keeps links by id,
 * which no move breaks; files on disk have relative paths, which editors follow. Pure: no files, no
 * network. Accepts any string, in time linear in its length, and never throws.
 */

import { type FoundLink, findLinks as find } from "../markdown/links/find.ts";
import * as translate from "../markdown/links/translate.ts";

/**
 * Place of a document, which decides where its relative links lead. Paths are relative to one root
 * folder, `/`-separated, without leading or trailing slash; `""` is the root. Ids are `doc_…` for
 * documents and `dir_…` for folders. A link to a path without an id has no target.
 * `idAt(pathOf(id))` must be `id`. If one of these functions throws, the caller of the conversion
 * gets the exception.
 */
export type Place = {
  /** Path of the document. */
  readonly path: string;
  /** Returns the id of the document or folder at `path`; null if there is none. */
  idAt(path: string): string | null;
  /** Returns the path of the document or folder with this id; null if there is none. */
  pathOf(id: string): string | null;
  /**
   * Returns the id of the document or folder at an absolute destination (`/plans/a.md`, passed as
   * `plans/a.md`). Undefined: `idAt` is used, because absolute destinations have the same root.
   */
  idAtAbsolute?(path: string): string | null;
};

/**
 * A link in the content. `from`, `to`: start and end of its destination, without `<` and `>`, in
 * UTF-16 units.
 */
export type Link = {
  /** Kind of link. `definition`: `[label]: destination`. */
  readonly kind: "link" | "image" | "definition";
  readonly from: number;
  readonly to: number;
  /** Destination as written, with escapes, percent signs, query and fragment. */
  readonly destination: string;
};

export type ToDiskOptions = {
  /** Earlier content on disk. A link that still leads to the same target keeps its spelling. */
  readonly previous?: string;
};

export type ToServiceOptions = {
  /**
   * Earlier content on the service. An absolute path in it stays an absolute path if it leads to
   * the same target.
   */
  readonly previous?: string;
  /** Paths and ids from before documents were moved, for links that have no target now. */
  readonly before?: Place;
};

/**
 * Returns content as it is stored on disk: known ids and absolute paths become the shortest
 * relative paths (with a slash at the end for a folder), `ref://x` becomes `x`. Everything else
 * stays, byte for byte.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  return translate.toDisk(text, place, options);
}

/**
 * Returns content as it is stored on the service. A path to a document or folder becomes its id,
 * with query and fragment. A path without a target becomes inert: `ref://` and the path as written.
 * Unknown ids, other schemes, fragments alone and everything else stay, byte for byte.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  return translate.toService(text, place, options);
}

/**
 * Updates links in a local file after documents have moved, including the file itself: each link
 * keeps its target. A link that still leads to its target keeps its spelling.
 */
export function respell(text: string, before: Place, after: Place): string {
  return translate.respell(text, before, after);
}

/**
 * Returns the links, images and definitions of a text, in order. Leaves out code, HTML, comments,
 * front matter, autolinks, and links without a destination. Returns an empty list if nothing in the
 * text can lead to a document.
 */
export function findLinks(text: string): Link[] {
  return find(text).flatMap(({ kind, from, to }: FoundLink) =>
    kind === "wiki" ? [] : [{ kind, from, to, destination: text.slice(from, to) }],
  );
}
