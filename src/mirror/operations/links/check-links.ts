/** Finds links in local files that lead to no document or file. Writes nothing (I23). */

import { findLinks, type FoundLink, readLinkDestination } from "../../../markdown/links/find.ts";
import type { Destination } from "../../../markdown/links/destination.ts";
import { readNameOfDestination } from "../../../markdown/links/wiki.ts";
import { resolveToPath, type Place, resolveDestination } from "../../../markdown/links/place.ts";
import { LinkPlaces } from "../../engine/links/places.ts";
import { joinPath, type LocalPath, nameOf } from "../../../contract/path.ts";
import type { LocalTree } from "../../model/tree.ts";
import { countWordEdits } from "../../../common/nearest-word.ts";
import type { World } from "../../engine/run/world.ts";

type PlacedLink = {
  readonly path: LocalPath;
  readonly line: number;
  readonly destination: string;
};

type BrokenLink = PlacedLink & {
  /** Path of the document that the link probably means; null if no document has a similar name. */
  readonly nearest: LocalPath | null;
};

export type CheckedLinks = {
  /** Number of links into the workspace, including links without a target. */
  readonly links: number;
  readonly documents: number;
  readonly broken: readonly BrokenLink[];
  /** Pictures in documents. mdmirror syncs only documents, so pictures are never uploaded. */
  readonly pictures: readonly PlacedLink[];
};

export function checkLinks(world: World): CheckedLinks {
  const disk = world.links?.disk.plain ?? world.disk;
  const scope = world.links?.forms.scope ?? { prefix: world.prefix, wiki: false };
  const places = new LinkPlaces(world.state.load(), scope);
  const contents = new Map<LocalPath, string>();
  const tree = disk.walk(
    () => null,
    (_digest, text, path) => {
      // LIMIT: only documents with links stay in memory, because most documents have no links.
      if (findLinks(text, scope.wiki).length > 0) contents.set(path, text);
    },
  );
  const names = new FolderNames(tree);
  const judgedLinks = [...contents]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, text]) =>
      findLinks(text, scope.wiki).map((link) => checkLink({ path, text }, link, places, names)),
    )
    .filter((one) => one !== null);
  const brokenLinks = judgedLinks.flatMap((one) => (one.kind === "broken" ? [one.link] : []));
  const pictures = judgedLinks.flatMap((one) => (one.kind === "picture" ? [one.link] : []));
  return { links: judgedLinks.length, documents: tree.files.size, broken: brokenLinks, pictures };
}

type JudgedLink =
  | { readonly kind: "fine" }
  | { readonly kind: "picture"; readonly link: PlacedLink }
  | { readonly kind: "broken"; readonly link: BrokenLink };

/** Finds out whether a link is fine, a picture or broken; null if it leads out of the workspace. */
function checkLink(
  { path, text }: { readonly path: LocalPath; readonly text: string },
  link: FoundLink,
  places: LinkPlaces,
  names: FolderNames,
): JudgedLink | null {
  const place = places.from(path);
  const destination = readLinkDestination(text, link);
  const hasTarget = hasTargetFile(destination, place, names);
  if (hasTarget === null) return null;
  const isPicture = link.kind === "image" && names.hasOther(resolveToPath(destination, place));
  if (hasTarget && !isPicture) return { kind: "fine" };
  const line = text.slice(0, link.from).split("\n").length;
  const placedLink = { path, line, destination: text.slice(link.from, link.to) };
  if (isPicture) return { kind: "picture", link: placedLink };
  return { kind: "broken", link: { ...placedLink, nearest: names.nearest(destination, path) } };
}

/** Returns whether the link's target exists; null if the link leads out of the workspace. */
function hasTargetFile(read: Destination, place: Place, names: FolderNames): boolean | null {
  if (read.kind === "foreign") return null;
  const id = read.inert ? null : resolveDestination(read, place);
  const target = id === null ? null : place.pathOf(id);
  // The target document is in base, but the document's file may have been moved or removed since
  // the last sync.
  if (target !== null) return names.has(target);
  const path = resolveToPath(read, place);
  return read.kind === "path" && !read.inert && path !== null && names.has(path);
}

/** Paths of all local files and folders, including those that are not synced. */
class FolderNames {
  readonly #tree: LocalTree;

  constructor(tree: LocalTree) {
    this.#tree = tree;
  }

  has(path: string): boolean {
    const { files, folders } = this.#tree;
    return (
      this.hasOther(path) || listUnicodeForms(path).some((form) => form === "" || files.has(form) || folders.has(form))
    );
  }

  hasOther(path: string | null): boolean {
    return path !== null && listUnicodeForms(path).some((form) => this.#tree.others.has(form));
  }

  /**
   * Returns the document with the most similar name. Of several, returns the document with the most
   * similar path. Returns null if no name is similar.
   */
  nearest(read: Destination, from: LocalPath): LocalPath | null {
    const target = read.kind === "wiki" ? `${readNameOfDestination(read.target)}.md` : read.target;
    const name = nameOf(target.replace(/\/$/, ""));
    const wantedPath = joinPath(from, target);
    let bestMatch: { readonly path: LocalPath; readonly far: number; readonly way: number } | null = null;
    for (const path of this.#tree.files.keys()) {
      const nameDistance = countWordEdits(name, nameOf(path), MAX_EDITS);
      if (nameDistance > MAX_EDITS || nameDistance >= name.length) continue;
      const pathDistance = countWordEdits(wantedPath, path, MAX_PATH_DISTANCE);
      if (
        bestMatch === null ||
        nameDistance < bestMatch.far ||
        (nameDistance === bestMatch.far && pathDistance < bestMatch.way)
      )
        bestMatch = { path, far: nameDistance, way: pathDistance };
    }
    return bestMatch?.path ?? null;
  }
}

function listUnicodeForms(path: string): readonly string[] {
  return [path, path.normalize("NFC"), path.normalize("NFD")];
}

const MAX_EDITS = 2;
const MAX_PATH_DISTANCE = 40;
