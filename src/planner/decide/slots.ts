import type { FolderRow, Place, Side } from "../match/row.ts";
import { type DiskFolding, joinPath, pathKey } from "../../model/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { Trees } from "../../model/tree.ts";
import { once } from "../../model/once.ts";

/** What each side takes for one name: the disk's way was tried out, the service's is learned. */
export type Foldings = Readonly<Record<Side, DiskFolding>>;

export function foldingsOf({ local }: Trees, { remoteFolding }: Policy): Foldings {
  return { local: local.disk, remote: remoteFolding };
}

/**
 * A slot is a name in a folder: what can be held by one thing at a time. Its key folds as its side
 * does (I11).
 */
export function slotKey(place: Place, folding: DiskFolding): string {
  return `${place.parent.key}/${pathKey(place.name, folding)}`;
}

/**
 * By slot. A map for each folder: a key of its own for each slot of a large plan would be a string
 * each, made again whenever it is asked for.
 */
export class SlotMap<T> {
  readonly #folding: DiskFolding;
  readonly #inside = new Map<FolderRow, Map<string, T>>();

  constructor(folding: DiskFolding) {
    this.#folding = folding;
  }

  get(place: Place): T | undefined {
    return this.#inside.get(place.parent)?.get(this.#name(place));
  }

  set(place: Place, value: T): void {
    const names = this.#inside.get(place.parent);
    if (names === undefined) this.#inside.set(place.parent, new Map([[this.#name(place), value]]));
    else names.set(this.#name(place), value);
  }

  delete(place: Place): void {
    this.#inside.get(place.parent)?.delete(this.#name(place));
  }

  #name({ name }: Place): string {
    return pathKey(name, this.#folding);
  }
}

/** What stands in a slot before the plan, whether or not it has a row. */
export type Occupant =
  | { readonly kind: "free" }
  | { readonly kind: "mirrored"; readonly path: string }
  | { readonly kind: "foreign"; readonly path: string };

export type Occupancy = (side: Side, place: Place) => Occupant;

const FREE = { kind: "free" } as const;

/** Looks slots up in the trees; indexes that only moves need are made when first asked for. */
export function lookUpSlots(trees: Trees, { remote: remoteFolding }: Foldings): Occupancy {
  const { disk, files, folders, others } = trees.local;
  const folds = disk.foldsCase || disk.foldsUnicode;
  const key = (path: string): string => pathKey(path, disk);
  const index = once(() => {
    const paths = new Map<string, Occupant>();
    if (!folds) return paths;
    for (const path of others.keys()) paths.set(key(path), { kind: "foreign", path });
    for (const path of [...files.keys(), ...folders.keys()]) paths.set(key(path), { kind: "mirrored", path });
    return paths;
  });
  const remote = once(() => {
    const paths = new Map<string, string>();
    for (const { path } of trees.remote.files.values()) paths.set(pathKey(path, remoteFolding), path);
    for (const { path } of trees.remote.folders.values()) paths.set(pathKey(path, remoteFolding), path);
    return paths;
  });
  return (side, place) => {
    const above = side === "local" ? place.parent.localPath : place.parent.remotePath;
    if (above === null) return FREE;
    const path = joinPath(above, place.name);
    if (side === "remote") {
      const there = remote().get(pathKey(path, remoteFolding));
      return there === undefined ? FREE : { kind: "mirrored", path: there };
    }
    if (files.has(path) || folders.has(path)) return { kind: "mirrored", path };
    if (others.has(path)) return { kind: "foreign", path };
    return folds ? (index().get(key(path)) ?? FREE) : FREE;
  };
}
