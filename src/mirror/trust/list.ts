import { existsSync } from "node:fs";
import { shellWord } from "../model/shell-word.ts";
import { type Trouble, type Result, trouble } from "../../common/trouble.ts";
import { markerOf, findMirror, keepMirror } from "./gate.ts";
import { type KnownMirror, listMirrors, registryFolder, findByMarker } from "./registry.ts";
import { basename } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** `name`: unique; of several copies, the first has the name of the registry. */
export type ListedMirror = Omit<KnownMirror, "roots"> & {
  readonly root: string;
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
  const present = new Set(rows.filter(({ place }) => place === "present").map(({ root }) => root));
  // If a folder was linked again, only the entry with the folder's current marker is listed. If a
  // linked folder was copied, the first copy keeps the name.
  const listed = rows
    .filter((row) => row.place === "present" || !present.has(row.root))
    .toSorted((a, b) => a.nth - b.nth || byRoot(a, b));
  const named: ListedMirror[] = [];
  for (const { nth: _nth, ...row } of listed) named.push({ ...row, name: freeName(row.name, namesOf(named)) });
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

/** Returns the trouble if another linked folder has this name, otherwise null. */
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
function usualName(env: Env, root: string): string {
  const others = listOwnMirrors(env).mirrors.filter((mirror) => mirror.root !== root);
  return freeName(nameOfFolder(root), namesOf(others));
}

function namesOf(mirrors: readonly ListedMirror[]): readonly string[] {
  return mirrors.map(({ name }) => name);
}

/** LIMIT: characters of a name, which is shown in tables and in labels of metrics. */
const MAX_LENGTH = 64;

/** Rule for names, for messages: `--name takes …`. */
export const NAME_RULE =
  "a name of 1 to 64 characters on one line, without a slash, a backslash, a space at its ends or a hyphen in front";

export function isMirrorName(text: string): boolean {
  const isOneWord = text !== "." && text !== ".." && text.trim() === text;
  return (
    isOneWord && /^[^/\\\p{C}\p{Zl}\p{Zp}-][^/\\\p{C}\p{Zl}\p{Zp}]*$/u.test(text) && [...text].length <= MAX_LENGTH
  );
}

/**
 * Returns true if two spellings are one name, because keyboards and disks may spell a name
 * differently.
 */
export function isSameName(a: string, b: string): boolean {
  return a.normalize("NFC") === b.normalize("NFC");
}

/** Returns the name of the folder on disk, without characters that names may not have. */
export function nameOfFolder(root: string): string {
  const cleaned = basename(root)
    .replace(/[\\\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/^[-\s]+/, "");
  const name = [...cleaned].slice(0, MAX_LENGTH).join("").trim();
  return isMirrorName(name) ? name : "mirror";
}

/** Returns `wanted` if that name is free, otherwise `wanted-2`, `wanted-3` … */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? "" : `-${n}`;
    const name = `${[...wanted].slice(0, MAX_LENGTH - end.length).join("")}${end}`;
    if (!taken.some((other) => isSameName(other, name))) return name;
  }
}

/** An address that the user provided for the documents and the key of a linked folder. */
type AddressOfUser = {
  /** Address as `addressOf` returns it. */
  readonly address: string;
  readonly allowHttp: readonly string[];
  /**
   * Name for the linked folder. Null for the current name, otherwise the name of the folder on
   * disk.
   */
  readonly name: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Records that the user provided this folder's key for this address, in addition to earlier
 * addresses. Called only for a person's input: by `init --url` and `trust`.
 * @param root real path
 * @returns the registry entry that was set aside, or null
 */
export function bindMirror(root: string, marker: string, input: AddressOfUser): Result<string | null> {
  const place = registryFolder(input.env);
  const found = findByMarker(place, marker);
  const before = found.kind === "known" ? found.mirror : null;
  const others = (before?.roots ?? []).filter((other) => other !== root && markerOf(other) === marker);
  return keepMirror(place, {
    marker,
    name: input.name ?? before?.name ?? usualName(input.env, root),
    addresses: [...new Set([...(before?.addresses ?? []), input.address])],
    allowHttp: [...new Set([...(before?.allowHttp ?? []), ...input.allowHttp])],
    roots: [...others, root],
  });
}

/**
 * Renames a linked folder.
 * @param root real path
 * @returns the registry entry that was set aside, or null
 */
export function nameMirror(root: string, name: string, env: AddressOfUser["env"]): Result<string | null> {
  const place = registryFolder(env);
  const found = findMirror(place, root);
  if (found.kind !== "known") {
    return trouble(
      "usage",
      `${root} is not in the list of your linked folders (${place})`,
      `trust it first: mdmirror trust ${shellWord(root)}`,
    );
  }
  const { mirror } = found;
  const roots = [root, ...mirror.roots.filter((other) => other !== root)];
  return keepMirror(place, { ...mirror, name, roots });
}
