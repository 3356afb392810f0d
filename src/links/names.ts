import { isDocId } from "../contract/ids.ts";
import { nameOf } from "../model/path.ts";
import type { Names } from "./wiki.ts";

/**
 * Paths by the name that a wiki link would say. A path where nothing is any more stays, and the
 * lookups tell so.
 */
export class NameIndex {
  readonly #paths = new Map<string, Set<string>>();

  add(path: string): void {
    if (!path.endsWith(ENDING)) return;
    const key = folded(nameOf(path).slice(0, -ENDING.length));
    const same = this.#paths.get(key);
    if (same === undefined) this.#paths.set(key, new Set([path]));
    else same.add(path);
  }

  at(name: string): string[] {
    return [...(this.#paths.get(folded(name)) ?? [])];
  }
}

type Lookups = {
  readonly index: () => NameIndex;
  readonly idAt: (path: string) => string | null;
  readonly pathOf: (id: string) => string | null;
  /** Whether a file is there that is no document yet. */
  readonly isWaiting: (path: string) => boolean;
};

export function namesBy({ index, idAt, pathOf, isWaiting }: Lookups): Names {
  const idOf = (name: string): string | null => {
    const paths = name.includes("/") ? [name + ENDING] : index().at(name);
    const ids = paths.flatMap((path) => idAt(path) ?? []).filter(isDocId);
    return ids.length === 1 ? ids[0]! : null;
  };
  return {
    idOf,
    nameOf: (id) => {
      const path = pathOf(id)?.slice(0, -ENDING.length) ?? "";
      return [nameOf(path), ...(path.includes("/") ? [path] : [])].find((name) => idOf(name) === id) ?? null;
    },
    pathOf: (name) => {
      const waiting = (name.includes("/") ? [name + ENDING] : index().at(name)).filter(isWaiting);
      return idOf(name) === null && waiting.length === 1 ? waiting[0]! : null;
    },
  };
}

const ENDING = ".md";

/** Editors that follow wiki links tell neither cases nor normal forms apart. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
