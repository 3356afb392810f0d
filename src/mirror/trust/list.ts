import { existsSync } from "node:fs";
import { readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { shellWord } from "../model/shell-word.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import { placeOf } from "./gate.ts";
import { freeName, isSameName, nameOfFolder, namesOf } from "./names.ts";
import { type KnownMirror, listMirrors } from "./registry.ts";

type Env = Readonly<Record<string, string | undefined>>;

export type ListedMirror = Omit<KnownMirror, "name" | "roots" | "folder"> & {
  readonly root: string;
  /** Unique: what the user calls it, else the folder's name. */
  readonly name: string;
  /**
   * `gone`: no folder is there (moved, deleted, or its disk is not mounted); `other`: a folder that
   * is no longer this mirror.
   */
  readonly place: "present" | "gone" | "other";
};

type MirrorList = {
  readonly mirrors: readonly ListedMirror[];
  /** What in the registry cannot be trusted, as clauses. */
  readonly unfit: readonly string[];
};

/**
 * This user's mirrors, by path, and what in the registry cannot be trusted. Looks at the folders;
 * writes and sends nothing.
 */
export function listOwnMirrors(env: Env): Result<MirrorList> {
  const place = placeOf(env);
  if (place.kind === "trouble") return place;
  const { mirrors, unfit } = listMirrors(place.value);
  const fs = createNodeFs();
  const rows = mirrors.flatMap(({ roots, folder: _folder, ...mirror }) =>
    roots.map((root, nth) => ({ ...mirror, root, nth, place: placeAt(root, readMarker(fs, root), mirror.marker) })),
  );
  const here = new Set(rows.filter(isHere).map(({ root }) => root));
  // A folder that was linked anew is listed once, as it is now. Of several copies, the first has
  // the name.
  const listed = rows
    .filter((row) => isHere(row) || !here.has(row.root))
    .toSorted((a, b) => a.nth - b.nth || byRoot(a, b));
  const names = namesOf(listed);
  return ok({
    mirrors: listed.map(({ nth: _nth, ...row }, at) => ({ ...row, name: names[at]! })).toSorted(byRoot),
    unfit,
  });
}

function isHere({ place }: Pick<ListedMirror, "place">): boolean {
  return place === "present";
}

function placeAt(root: string, found: string | null, marker: string): ListedMirror["place"] {
  if (found === marker) return "present";
  return existsSync(root) ? "other" : "gone";
}

function byRoot(a: Pick<ListedMirror, "root">, b: Pick<ListedMirror, "root">): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}

/** @returns null: no mirror of this user has the name, or no list could be read */
export function mirrorNamed(env: Env, name: string): ListedMirror | null {
  const listed = listOwnMirrors(env);
  if (listed.kind === "trouble") return null;
  return listed.value.mirrors.find((mirror) => isSameName(mirror.name, name)) ?? null;
}

/** What is said of a mirror whose folder is not where it was. */
export function absentTrouble({ root, name, place }: Pick<ListedMirror, "root" | "name" | "place">): Trouble {
  const what = place === "gone" ? "does not exist: moved, deleted or not mounted" : "is another folder now";
  return {
    kind: "usage",
    what: `${root}, your linked folder "${name}", ${what}`,
    code: place,
    next: `mount its disk; or run a command in the folder where it is now; or forget it: mdmirror unlink ${shellWord(name)} --force`,
  };
}

/**
 * Why a mirror cannot have this name: another one has it.
 * @returns null: it can
 */
export function nameTrouble(env: Env, name: string, root: string): Trouble | null {
  const other = mirrorNamed(env, name);
  if (other === null || other.root === root) return null;
  return {
    kind: "usage",
    what: `"${name}" is the name of your linked folder ${other.root} already`,
    next: `choose another name, or first rename that folder: mdmirror name ${shellWord(other.root)} NAME`,
  };
}

/** The name of its folder, with a number if another mirror has that name. */
export function usualName(env: Env, root: string): string {
  const listed = listOwnMirrors(env);
  const others = listed.kind === "trouble" ? [] : listed.value.mirrors.filter((mirror) => mirror.root !== root);
  return freeName(
    nameOfFolder(root),
    others.map(({ name }) => name),
  );
}
