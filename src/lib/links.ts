import { type FoundLink, findLinks as find } from "../markdown/links/find.ts";
import * as translate from "../markdown/links/translate.ts";

/**
 * `import … from "mdmirror/links"`: links between documents. A service of documents keeps them by
 * id, which no move breaks; files on disk have relative paths, which editors follow. Pure: no
 * files, no network; total: any string is taken, in time linear in its length, and none throws.
 */

/**
 * What a document's links are read by. Paths are relative to one root folder, `/`-separated,
 * without leading or trailing slash; `""` is the root. Ids are `doc_…` of a document, `dir_…` of a
 * folder; what has none leads nowhere. `idAt(pathOf(id))` is `id`. What they throw comes through.
 */
export type Place = {
  /** Path of the document. */
  readonly path: string;
  /** Returns the id of the document or folder at `path`; null if there is none. */
  idAt(path: string): string | null;
  /** Returns the path of the document or folder with this id; null if there is none. */
  pathOf(id: string): string | null;
  /**
   * Works as `idAt`, for absolute destinations (`/plans/a.md`, requested as `plans/a.md`), if their
   * root is another one.
   */
  idAtAbsolute?(path: string): string | null;
};

/** Position of a destination in the content, in UTF-16 units, without `<` and `>`. */
export type Link = {
  /** `definition`: `[label]: destination`. */
  readonly kind: "link" | "image" | "definition";
  readonly from: number;
  readonly to: number;
  /** As written, with escapes, percent signs, query and fragment. */
  readonly destination: string;
};

export type ToDiskOptions = {
  /** Earlier content on disk: links with the same target keep their spelling. */
  readonly was?: string;
};

export type ToServiceOptions = {
  /** Earlier content on the service: an absolute path with the same target stays. */
  readonly was?: string;
  /** Places of all documents before they moved: for links without a present target. */
  readonly before?: Place;
};

/**
 * The text as it belongs on disk: known ids and absolute paths become the shortest relative paths
 * (of a folder, with a slash behind), `ref://x` becomes `x`. All else stays, byte for byte.
 */
export function toDisk(text: string, place: Place, options: ToDiskOptions = {}): string {
  return translate.toDisk(text, place, options);
}

/**
 * The text as it belongs on the service: what leads to a document or folder becomes its id, with
 * query and fragment; a path that leads nowhere becomes inert, `ref://` and what was written.
 * Unknown ids, other schemes and fragments alone stay, and so does all else, byte for byte.
 */
export function toService(text: string, place: Place, options: ToServiceOptions = {}): string {
  return translate.toService(text, place, options);
}

/**
 * Updates links in a local file after documents have moved, itself included: each link keeps its
 * target. A link that still has it keeps its spelling.
 */
export function respell(text: string, before: Place, after: Place): string {
  return translate.respell(text, before, after);
}

/**
 * The links, images and definitions of a text, in its order; none in code, HTML, comments and front
 * matter, no autolinks, none without a destination. Of a text in which nothing can lead to a
 * document, none.
 */
export function findLinks(text: string): Link[] {
  return find(text).flatMap(({ kind, from, to }: FoundLink) =>
    kind === "wiki" ? [] : [{ kind, from, to, destination: text.slice(from, to) }],
  );
}
