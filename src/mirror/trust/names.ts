import { basename } from "node:path";

/**
 * Names of linked folders: the name that the user chose, else that of the folder on disk. Each name
 * belongs to one folder, so that commands can take the name. A name has no slash; an operand with a
 * slash is a path.
 */

/** A folder that needs a name. */
type Named = {
  /** Real path of the folder. */
  readonly root: string;
  /** Name that the user chose; null if there is none. */
  readonly name: string | null;
};

/** LIMIT: characters of a name, which is shown in tables and in labels of metrics. */
const MOST = 64;

/** Rule for names, for messages: `--name takes …`. */
export const NAME_RULE =
  "a name of 1 to 64 characters on one line, without a slash, a backslash, a space at its ends or a hyphen in front";

export function isMirrorName(text: string): boolean {
  const isOneWord = text !== "." && text !== ".." && text.trim() === text;
  return isOneWord && /^[^/\\\p{C}\p{Zl}\p{Zp}-][^/\\\p{C}\p{Zl}\p{Zp}]*$/u.test(text) && [...text].length <= MOST;
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
  const bare = basename(root)
    .replace(/[\\\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/^[-\s]+/, "");
  const name = [...bare].slice(0, MOST).join("").trim();
  return isMirrorName(name) ? name : "mirror";
}

/**
 * Returns unique names for all linked folders: first the names that users chose, then the name of
 * each folder on disk, with a number if taken.
 * @param mirrors in the order of precedence
 */
export function namesOf(mirrors: readonly Named[]): string[] {
  const names: string[] = mirrors.map(() => "");
  const taken: string[] = [];
  const isChosen = ({ name }: Named) => name !== null && isMirrorName(name);
  for (const [at, mirror] of [...mirrors.entries()].sort((a, b) => Number(isChosen(b[1])) - Number(isChosen(a[1])))) {
    names[at] = freeName(isChosen(mirror) ? mirror.name! : nameOfFolder(mirror.root), taken);
    taken.push(names[at]);
  }
  return names;
}

/** Returns `wanted` if that name is free, else `wanted-2`, `wanted-3` … */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? "" : `-${n}`;
    const name = `${[...wanted].slice(0, MOST - end.length).join("")}${end}`;
    if (!taken.some((other) => isSameName(other, name))) return name;
  }
}
