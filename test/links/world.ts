import type { Place } from "../../src/links/place.ts";

/** Documents and folders by path, with ids that survive a move. */
export type World = ReadonlyMap<string, string>;

/** @param paths of documents; their folders, and the root, are there too */
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

/** Each path under its new name; the ids stay. */
export function moved(world: World, rename: (path: string) => string): World {
  return new Map([...world].map(([path, id]) => [rename(path), id]));
}

export function placeIn(world: World, path: string): Place {
  let places = PLACES.get(world);
  if (places === undefined) {
    places = new Map([...world].map(([at, id]) => [id, at]));
    PLACES.set(world, places);
  }
  const pathById = places;
  return { path, idAt: (at) => world.get(at) ?? null, pathOf: (id) => pathById.get(id) ?? null };
}

const PLACES = new WeakMap<World, Map<string, string>>();
