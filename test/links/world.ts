import { createDocumentNames, NameIndex } from "../../src/markdown/links/wiki.ts";
import type { Place } from "../../src/markdown/links/place.ts";
import { once } from "../../src/common/once.ts";

/** Ids of documents and folders by path. */
export type World = ReadonlyMap<string, string>;

/** @param paths of documents; their folders and the root are added */
export function worldOf(paths: readonly string[]): World {
  const world = new Map<string, string>([["", "dir_root"]]);
  for (const path of paths) {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join("/");
      if (!world.has(folder)) world.set(folder, `dir_${world.size}`);
    }
    world.set(path, `doc_${world.size}`);
  }
  return world;
}

/** Returns the world after a rename of paths, with the same ids. */
export function moved(world: World, rename: (path: string) => string): World {
  return new Map([...world].map(([path, id]) => [rename(path), id]));
}

/** @param wiki true if wiki links count as links */
export function placeIn(world: World, path: string, wiki = false): Place {
  const lookups = lookupsOf(world);
  const idAt = (at: string) => world.get(at) ?? null;
  const pathOf = (id: string) => lookups.pathById.get(id) ?? null;
  const names = wiki
    ? createDocumentNames({ index: () => lookups.index(), idAt, pathOf, isWaiting: () => false })
    : undefined;
  return { path, idAt, pathOf, names };
}

type Lookups = { readonly pathById: ReadonlyMap<string, string>; readonly index: () => NameIndex };

function lookupsOf(world: World): Lookups {
  let lookups = LOOKUPS.get(world);
  if (lookups === undefined) {
    const pathById = new Map([...world].map(([at, id]) => [id, at]));
    lookups = { pathById, index: once(() => indexOf(world)) };
    LOOKUPS.set(world, lookups);
  }
  return lookups;
}

function indexOf(world: World): NameIndex {
  const index = new NameIndex();
  for (const at of world.keys()) index.add(at);
  return index;
}

const LOOKUPS = new WeakMap<World, Lookups>();
