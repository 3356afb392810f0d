import { existsSync } from "node:fs";
import { quoteForShell } from "../model/shell-word.ts";
import { refusal, type Result, type Trouble } from "../../common/trouble.ts";
import { readRootMarker, findMirror, keepMirror } from "./gate.ts";
import { type KnownMirror, listMirrors, locateRegistry, findByMarker, type Environment } from "./registry.ts";
import { basename } from "node:path";

/**
 * A linked folder in the user's list, with a name that is unique in the list. A folder and its
 * copies share one registry entry, and only the first folder in the entry gets the name in the
 * entry.
 */
export type ListedMirror = Omit<KnownMirror, "roots"> & {
  readonly root: string;
  /**
   * `present`: the folder is at its path. `gone`: nothing is at the path, because the folder was
   * moved or deleted, or the folder's disk is not mounted. `other`: another folder is at the path.
   */
  readonly place: "present" | "gone" | "other";
};

type MirrorList = {
  readonly mirrors: readonly ListedMirror[];
  readonly unfit: readonly string[];
};

/**
 * Lists the linked folders by path. Reads the markers of the folders. Writes nothing and sends
 * nothing.
 */
export function listOwnMirrors(env: Environment): MirrorList {
  const { mirrors, unfit } = listMirrors(locateRegistry(env));
  const rows = mirrors.flatMap(({ roots, ...mirror }) =>
    roots.map((root, nth) => ({ ...mirror, root, nth, place: judgeRoot(root, readRootMarker(root), mirror.marker) })),
  );
  const presentRoots = new Set(rows.filter(({ place }) => place === "present").map(({ root }) => root));
  // A folder that was linked again has two registry entries; the list has only the entry with the
  // current marker. If a folder was copied, the first copy keeps the name.
  const listedRows = rows
    .filter((row) => row.place === "present" || !presentRoots.has(row.root))
    .toSorted((a, b) => a.nth - b.nth || compareRoots(a, b));
  const namedMirrors: ListedMirror[] = [];
  for (const { nth: _nth, ...row } of listedRows) {
    const takenNames = namedMirrors.map(({ name }) => name);
    namedMirrors.push({ ...row, name: chooseFreeName(row.name, takenNames) });
  }
  return { mirrors: namedMirrors.toSorted(compareRoots), unfit };
}

function judgeRoot(root: string, found: string | null, marker: string): ListedMirror["place"] {
  if (found === marker) return "present";
  return existsSync(root) ? "other" : "gone";
}

function compareRoots(a: Pick<ListedMirror, "root">, b: Pick<ListedMirror, "root">): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}

export function findMirrorByName(env: Environment, name: string): ListedMirror | null {
  return listOwnMirrors(env).mirrors.find((mirror) => isSameName(mirror.name, name)) ?? null;
}

export function describeAbsentMirror({ root, name, place }: Pick<ListedMirror, "root" | "name" | "place">): Trouble {
  const placeText = place === "gone" ? "does not exist: moved, deleted or not mounted" : "is another folder now";
  return {
    kind: "usage",
    what: `${root}, your linked folder "${name}", ${placeText}`,
    code: place,
    next: `mount its disk; or run a command in the folder where it is now; or forget it: mdmirror unlink ${quoteForShell(name)} --force`,
  };
}

export function checkMirrorName(env: Environment, name: string, root: string): Trouble | null {
  const otherMirror = findMirrorByName(env, name);
  if (otherMirror === null || otherMirror.root === root) return null;
  return {
    kind: "usage",
    what: `"${name}" is the name of your linked folder ${otherMirror.root} already`,
    next: `choose another name, or first rename that folder: mdmirror name ${quoteForShell(otherMirror.root)} NAME`,
  };
}

/** Returns the folder's name on disk. If another linked folder has this name, adds a number. */
function chooseDefaultName(env: Environment, root: string): string {
  const otherMirrors = listOwnMirrors(env).mirrors.filter((mirror) => mirror.root !== root);
  const takenNames = otherMirrors.map(({ name }) => name);
  return chooseFreeName(deriveMirrorName(root), takenNames);
}

/**
 * LIMIT: number of characters of a mirror's name, because the name must fit into tables and labels
 * of metrics.
 */
const MAX_LENGTH = 64;

/** Rule for names, at the end of a message that begins with `--name takes`. */
export const NAME_RULE =
  "a name of 1 to 64 characters on one line, without a slash, a backslash, a space at its ends or a hyphen in front";

export function isMirrorName(text: string): boolean {
  const isOneWord = text !== "." && text !== ".." && text.trim() === text;
  return (
    isOneWord && /^[^/\\\p{C}\p{Zl}\p{Zp}-][^/\\\p{C}\p{Zl}\p{Zp}]*$/u.test(text) && [...text].length <= MAX_LENGTH
  );
}

/** Returns true if the Unicode normal forms of two names are equal. */
export function isSameName(a: string, b: string): boolean {
  return a.normalize("NFC") === b.normalize("NFC");
}

export function deriveMirrorName(root: string): string {
  const cleanedName = basename(root)
    .replace(/[\\\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/^[-\s]+/, "");
  const name = [...cleanedName].slice(0, MAX_LENGTH).join("").trim();
  return isMirrorName(name) ? name : "mirror";
}

/** Returns the wanted name. If the name is taken, adds a free number: `notes-2`, `notes-3` … */
export function chooseFreeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const name = `${[...wanted].slice(0, MAX_LENGTH - suffix.length).join("")}${suffix}`;
    if (!taken.some((other) => isSameName(other, name))) return name;
  }
}

type AddressOfUser = {
  /** Address in the form of the registry: origin and path prefix. */
  readonly address: string;
  readonly allowHttp: readonly string[];
  /** Name that the user chose. Null keeps an earlier name, or means the default name. */
  readonly name: string | null;
  readonly env: Environment;
};

/**
 * Records that the user provided a key for this address of a folder. Keeps the addresses that are
 * already recorded. Only `init --url` and `trust` may call this function, because only a person may
 * decide.
 * @param root real path of the folder
 * @param marker id in the folder's marker
 * @returns a clause about a damaged registry entry that was set aside, or null
 */
export function bindMirror(root: string, marker: string, input: AddressOfUser): Result<string | null> {
  const registry = locateRegistry(input.env);
  const foundMirror = findByMarker(registry, marker);
  const earlierMirror = foundMirror.kind === "known" ? foundMirror.mirror : null;
  const otherRoots = (earlierMirror?.roots ?? []).filter((other) => other !== root && readRootMarker(other) === marker);
  return keepMirror(registry, {
    marker,
    name: input.name ?? earlierMirror?.name ?? chooseDefaultName(input.env, root),
    addresses: [...new Set([...(earlierMirror?.addresses ?? []), input.address])],
    allowHttp: [...new Set([...(earlierMirror?.allowHttp ?? []), ...input.allowHttp])],
    roots: [...otherRoots, root],
  });
}

/**
 * @param root real path of the folder
 * @returns a clause about a damaged registry entry that was set aside, or null
 */
export function nameMirror(root: string, name: string, env: Environment): Result<string | null> {
  const registry = locateRegistry(env);
  const foundMirror = findMirror(registry, root);
  if (foundMirror.kind !== "known") {
    return refusal(
      `${root} is not in the list of your linked folders (${registry})`,
      `trust it first: mdmirror trust ${quoteForShell(root)}`,
    );
  }
  const { mirror } = foundMirror;
  const roots = [root, ...mirror.roots.filter((other) => other !== root)];
  return keepMirror(registry, { ...mirror, name, roots });
}
