import { isDocId } from "../../contract/ids.ts";
import { nameOf } from "../../contract/path.ts";
import type { DocumentNames } from "./wiki.ts";

/**
 * Finds paths by their file name, for wiki links. Keeps the paths of removed files, so callers must
 * check whether the document still exists.
 */
export class NameIndex {
  readonly #paths = new Map<string, Set<string>>();

  add(path: string): void {
    if (!path.endsWith(MARKDOWN_ENDING)) return;
    const key = foldName(nameOf(path).slice(0, -MARKDOWN_ENDING.length));
    const same = this.#paths.get(key);
    if (same === undefined) this.#paths.set(key, new Set([path]));
    else same.add(path);
  }

  named(name: string): Iterable<string> {
    return this.#paths.get(foldName(name)) ?? [];
  }
}

type NameLookups = {
  readonly index: () => NameIndex;
  readonly idAt: (path: string) => string | null;
  readonly pathOf: (id: string) => string | null;
  /** Returns true if the path has a local file that is not a document yet. */
  readonly isWaiting: (path: string) => boolean;
};

export function createDocumentNames({ index, idAt, pathOf, isWaiting }: NameLookups): DocumentNames {
  const pathsBy = (stem: string) => (stem.includes("/") ? [stem + MARKDOWN_ENDING] : index().named(stem));
  const pathsOf = (name: string) => listPossibleStems(name).flatMap((stem) => [...pathsBy(stem)]);
  const idOf = (name: string): string | null => {
    const ids = Iterator.from(pathsOf(name)).map(idAt).filter(isDocId);
    // Two ids are enough to know that a name is ambiguous. A name such as `index` may have
    // thousands of files.
    const [id, ...more] = ids.take(2);
    return id !== undefined && more.length === 0 ? id : null;
  };
  return {
    idOf,
    nameOf: (id) => {
      const path = pathOf(id)?.slice(0, -MARKDOWN_ENDING.length) ?? "";
      return [nameOf(path), ...(path.includes("/") ? [path] : [])].find((name) => idOf(name) === id) ?? null;
    },
    pathOf: (name) => {
      const existing = Iterator.from(pathsOf(name)).filter((path) => idAt(path) !== null || isWaiting(path));
      const [path, ...more] = existing.take(2);
      return path !== undefined && more.length === 0 && idAt(path) === null ? path : null;
    },
  };
}

const MARKDOWN_ENDING = ".md";

/**
 * Returns the file names without `.md` that a wiki link may mean. `[[Name.md]]` may mean `Name.md`
 * or `Name.md.md`.
 */
function listPossibleStems(name: string): string[] {
  return foldName(name).endsWith(MARKDOWN_ENDING) ? [name, name.slice(0, -MARKDOWN_ENDING.length)] : [name];
}

/**
 * Returns a name in the form in which names are compared. Editors ignore case and Unicode forms in
 * wiki links.
 */
function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
