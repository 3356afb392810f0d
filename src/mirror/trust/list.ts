import { existsSync } from "node:fs";
import { shellWord } from "../model/shell-word.ts";
import type { Trouble } from "../../common/trouble.ts";
import { markerOf } from "./gate.ts";
import { freeName, isSameName, nameOfFolder, namesOf } from "./names.ts";
import { type KnownMirror, listMirrors, registryFolder } from "./registry.ts";

type Env = Readonly<Record<string, string | undefined>>;

export type ListedMirror = Omit<KnownMirror, "name" | "roots"> & {
  readonly root: string;
  /** Unique name: the name that the user chose, else the name of the folder on disk. */
  readonly name: string;
  /**
   * `gone`: no folder exists (moved, deleted, or its disk is not mounted); `other`: another folder
   * is at the path.
   */
  readonly place: "present" | "gone" | "other";
};

type MirrorList = {
  readonly mirrors: readonly ListedMirror[];
  /** Clauses about registry entries that cannot be trusted. */
  readonly unfit: readonly string[];
};

/**
 * Lists this user's linked folders by path, and registry entries that cannot be trusted. Reads the
 * folders; writes and sends nothing.
 */
export function listOwnMirrors(env: Env): MirrorList {
  const { mirrors, unfit } = listMirrors(registryFolder(env));
  const rows = mirrors.flatMap(({ roots, ...mirror }) =>
    roots.map((root, nth) => ({ ...mirror, root, nth, place: placeAt(root, markerOf(root), mirror.marker) })),
  );
  const here = new Set(rows.filter(({ place }) => place === "present").map(({ root }) => root));
  // If a folder was linked again, the list shows only the entry of its current marker. If one
  // mirror has several copies, the first copy keeps the name.
  const listed = rows
    .filter((row) => row.place === "present" || !here.has(row.root))
    .toSorted((a, b) => a.nth - b.nth || byRoot(a, b));
  const names = namesOf(listed);
  const named = listed.map(({ nth: _nth, ...row }, at) => ({ ...row, name: names[at]! }));
  return { mirrors: named.toSorted(byRoot), unfit };
}

function placeAt(root: string, found: string | null, marker: string): ListedMirror["place"] {
  if (found === marker) return "present";
  return existsSync(root) ? "other" : "gone";
}

function byRoot(a: Pick<ListedMirror, "root">, b: Pick<ListedMirror, "root">): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}

/** Returns the linked folder with a name; null if there is none. */
export function mirrorNamed(env: Env, name: string): ListedMirror | null {
  return listOwnMirrors(env).mirrors.find((mirror) => isSameName(mirror.name, name)) ?? null;
}

/** Returns the trouble for a folder that is not at its path. */
export function absentTrouble({ root, name, place }: Pick<ListedMirror, "root" | "name" | "place">): Trouble {
  const what = place === "gone" ? "does not exist: moved, deleted or not mounted" : "is another folder now";
  return {
    kind: "usage",
    what: `${root}, your linked folder "${name}", ${what}`,
    code: place,
    next: `mount its disk; or run a command in the folder where it is now; or forget it: mdmirror unlink ${shellWord(name)} --force`,
  };
}

/** Returns the trouble if another linked folder has this name, else null. */
export function nameTrouble(env: Env, name: string, root: string): Trouble | null {
  const other = mirrorNamed(env, name);
  if (other === null || other.root === root) return null;
  return {
    kind: "usage",
    what: `"${name}" is the name of your linked folder ${other.root} already`,
    next: `choose another name, or first rename that folder: mdmirror name ${shellWord(other.root)} NAME`,
  };
}

/**
 * Returns the default name of a linked folder: the name of the folder on disk, with a number if
 * that name is taken.
 */
export function usualName(env: Env, root: string): string {
  const others = listOwnMirrors(env).mirrors.filter((mirror) => mirror.root !== root);
  return freeName(
    nameOfFolder(root),
    others.map(({ name }) => name),
  );
}
