import { basename } from "node:path";

/**
 * The name of a mirror: the one that the user gave, else that of its folder. Each name belongs to
 * one mirror, so that a command that takes a folder can take the name instead. A name has no slash;
 * anything with a slash is a path.
 */

/** What is known of a folder that needs a name. */
type Named = {
  /** Real path. */
  readonly root: string;
  /** The name that the user gave; null: none. */
  readonly name: string | null;
};

/** LIMIT: characters of a name. It stands in lines of tables, and in labels of metrics. */
const MOST = 64;

/** For messages: `--name takes …`. */
export const NAME_RULE =
  "a name of 1 to 64 characters on one line, without a slash, a backslash, a space at its ends or a hyphen in front";

export function isMirrorName(text: string): boolean {
  const isOneWord = text !== "." && text !== ".." && text.trim() === text;
  return isOneWord && /^[^/\\\p{C}\p{Zl}\p{Zp}-][^/\\\p{C}\p{Zl}\p{Zp}]*$/u.test(text) && [...text].length <= MOST;
}

/** Whether two spellings are one name, as two keyboards or two disks write it. */
export function isSameName(a: string, b: string): boolean {
  return a.normalize("NFC") === b.normalize("NFC");
}

/**
 * The name of its folder, without what a name may not hold.
 * @returns a legal name
 */
export function nameOfFolder(root: string): string {
  const bare = basename(root)
    .replace(/[\\\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/^[-\s]+/, "");
  const name = [...bare].slice(0, MOST).join("").trim();
  return isMirrorName(name) ? name : "mirror";
}

/**
 * Unique names for all mirrors: those that the user gave first, then each by its folder, with a
 * number if that is taken.
 * @param mirrors in the order in which they get a name that two of them want
 */
export function namesOf(mirrors: readonly Named[]): string[] {
  const names: string[] = mirrors.map(() => "");
  const taken: string[] = [];
  const isSaid = ({ name }: Named) => name !== null && isMirrorName(name);
  for (const [at, mirror] of [...mirrors.entries()].sort((a, b) => Number(isSaid(b[1])) - Number(isSaid(a[1])))) {
    names[at] = freeName(isSaid(mirror) ? mirror.name! : nameOfFolder(mirror.root), taken);
    taken.push(names[at]);
  }
  return names;
}

/** @returns `wanted`, or `wanted-2`, `wanted-3` … */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? "" : `-${n}`;
    const name = `${[...wanted].slice(0, MOST - end.length).join("")}${end}`;
    if (!taken.some((other) => isSameName(other, name))) return name;
  }
}
