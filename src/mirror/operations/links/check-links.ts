import { findLinks, readFound } from "../../../markdown/links/find.ts";
import type { Destination } from "../../../markdown/links/destination.ts";
import { nameOfDestination } from "../../../markdown/links/wiki.ts";
import { pathTo, type Place, resolveDestination } from "../../../markdown/links/place.ts";
import { LinkPlaces } from "../../engine/links/places.ts";
import { joinPath, type LocalPath, nameOf } from "../../../contract/path.ts";
import type { LocalTree } from "../../model/tree.ts";
import { distanceWithin } from "../../../common/nearest-word.ts";
import type { World } from "../../engine/run/world.ts";

/** Finds links without a target in local files. Writes nothing (I23). */

type BrokenLink = {
  readonly path: LocalPath;
  readonly line: number;
  /** Destination, as written in the file. */
  readonly destination: string;
  /** The document that is probably meant; null if no name is similar. */
  readonly nearest: LocalPath | null;
};

export type CheckedLinks = {
  /** Number of links into the workspace, including those without a target. */
  readonly links: number;
  readonly documents: number;
  readonly broken: readonly BrokenLink[];
};

export function checkLinks(world: World): CheckedLinks {
  const disk = world.links?.disk.plain ?? world.disk;
  const scope = world.links?.scope ?? { prefix: world.prefix, wiki: false };
  const places = new LinkPlaces(world.state.load(), scope);
  const texts = new Map<LocalPath, string>();
  const tree = disk.walk(
    () => null,
    (_digest, text, path) => {
      // LIMIT: only documents with links are kept, which are few or small beside all that is read.
      if (findLinks(text, scope.wiki).length > 0) texts.set(path, text);
    },
  );
  const names = new Names(tree);
  const broken: BrokenLink[] = [];
  let links = 0;
  for (const [path, text] of [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const place = places.from(path);
    for (const link of findLinks(text, scope.wiki)) {
      const destination = text.slice(link.from, link.to);
      const read = readFound(text, link);
      const isThere = leadsSomewhere(read, place, names);
      if (isThere === null) continue;
      links++;
      if (isThere) continue;
      const line = text.slice(0, link.from).split("\n").length;
      broken.push({ path, line, destination, nearest: names.nearest(read, path) });
    }
  }
  return { links, documents: tree.files.size, broken };
}

/** Returns true if a link has a target; null if the link does not lead into the workspace. */
function leadsSomewhere(read: Destination, place: Place, names: Names): boolean | null {
  if (read.kind === "foreign") return null;
  const id = read.inert ? null : resolveDestination(read, place);
  const at = id === null ? null : place.pathOf(id);
  // The document was synced, but its file was moved or removed since: then the target is missing.
  if (at !== null) return names.has(at);
  const path = pathTo(read, place);
  return read.kind === "path" && !read.inert && path !== null && names.has(path);
}

/** Names of everything in the folder. */
class Names {
  readonly #tree: LocalTree;

  constructor(tree: LocalTree) {
    this.#tree = tree;
  }

  has(path: string): boolean {
    const { files, folders, others } = this.#tree;
    return [path, path.normalize("NFC"), path.normalize("NFD")].some(
      (form) => form === "" || files.has(form) || folders.has(form) || others.has(form),
    );
  }

  /**
   * Returns the document with the most similar name; of equally similar names, the document with
   * the nearest path.
   */
  nearest(read: Destination, from: LocalPath): LocalPath | null {
    const said = read.kind === "wiki" ? `${nameOfDestination(read.said)}.md` : read.said;
    const name = nameOf(said.replace(/\/$/, ""));
    const wanted = joinPath(from, said);
    let found: { readonly path: LocalPath; readonly far: number; readonly way: number } | null = null;
    for (const path of this.#tree.files.keys()) {
      const far = distanceWithin(name, nameOf(path), MOST_EDITS);
      if (far > MOST_EDITS || far >= name.length) continue;
      const way = distanceWithin(wanted, path, MOST_WAY);
      if (found === null || far < found.far || (far === found.far && way < found.way)) found = { path, far, way };
    }
    return found?.path ?? null;
  }
}

const MOST_EDITS = 2;
const MOST_WAY = 40;
