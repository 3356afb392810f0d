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
  /** Of the document whose text it is. */
  readonly path: string;
  /** @returns the id of the document or folder at `path`; null where none is */
  idAt(path: string): string | null;
  /** @returns where the document or folder of this id is; null where it is not */
  pathOf(id: string): string | null;
  /**
   * As `idAt`, for absolute destinations (`/plans/a.md`, asked for as `plans/a.md`), if their root
   * is another.
   */
  idAtAbsolute?(path: string): string | null;
};

/** Where a destination stands in a text, in UTF-16 units, without `<` and `>`. */
export type Link = {
  /** `definition`: `[label]: destination`. */
  readonly kind: "link" | "image" | "definition";
  readonly from: number;
  readonly to: number;
  /** As written, with escapes, percent signs, query and fragment. */
  readonly destination: string;
};

export type ToDiskOptions = {
  /** The disk's text of before: what leads to the same keeps its spelling. */
  readonly was?: string;
};

export type ToServiceOptions = {
  /** The service's text of before: an absolute path that leads to the same stays. */
  readonly was?: string;
  /** Where this document and the others were before they moved: for what leads nowhere now. */
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
 * A text of the disk after documents have moved, its own too: what led somewhere leads there now.
 * What still does keeps its spelling.
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
