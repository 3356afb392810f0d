import { mapName } from "../contract/names.ts";
import { digestOf } from "./digest.ts";
import { cutToBytes, isSidecarName, type LocalPath, MAX_NAME_BYTES, nameOf, type RemotePath } from "./path.ts";

/**
 * Names that both sides can hold: which remote names the disk takes as they are, the deterministic
 * names of the others, and the remote name of a local one.
 */

const CONTROL_OR_SLASH = /[\u0000-\u001f\u007f-\u009f\\/]/g;
/** Names that editors and desktops use for leftovers; the walk ignores such files. */
const LITTER = /^\.[#_]/;

/**
 * Whether a remote name could lead out of the mirrored folder or into `.mdmirror`: it is held, and
 * never mapped.
 */
export function isUnsafeName(name: string, kind: "file" | "folder"): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) return true;
  return kind === "folder" ? name.startsWith(".") : !name.endsWith(".md") || name === ".md";
}

/**
 * The local name of a remote one: itself where the disk can hold it, else one made of its stem and
 * its id's digest.
 */
export function localNameFor(name: string, kind: "file" | "folder", id: string): string {
  const fits =
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    name.isWellFormed() &&
    name.search(CONTROL_OR_SLASH) === -1 &&
    !LITTER.test(name) &&
    !(kind === "file" && isSidecarName(name));
  return fits ? name : hashedName(name, kind, id);
}

/**
 * Returns the remote name under which a local name is uploaded. Null where the service takes none,
 * or where every other mirror would refuse it (`isUnsafeName`).
 * @param refused characters that the deployment refuses in names
 */
export function remoteNameFor(name: string, kind: "file" | "folder", refused: string): string | null {
  const mapped = mapName(name, kind, refused);
  return mapped === null || isUnsafeName(mapped, kind) ? null : mapped;
}

/**
 * The shortened stem with `-` and 8 hex digits of the id's digest: unique among its siblings, and
 * the same in every pass.
 */
export function hashedName(name: string, kind: "file" | "folder", id: string): string {
  const ending = kind === "file" ? ".md" : "";
  const tail = `${digitsOf(id)}${ending}`;
  const stem = (kind === "file" ? name.slice(0, -3) : name)
    .toWellFormed()
    .replace(CONTROL_OR_SLASH, "-")
    .replace(/^\.[#_]+/, "");
  return `${cutToBytes(stem, MAX_NAME_BYTES - tail.length)}${tail}`;
}

/** The mark of an id in a name that `hashedName` made. */
function digitsOf(id: string): string {
  return `-${digestOf(id).slice(0, 8)}`;
}

/** Whether a name ends with the digits of this id, so that `hashedName` may have made it. */
export function hasDigitsOf(name: string, id: string): boolean {
  const digits = digitsOf(id);
  return name.endsWith(digits) || name.endsWith(`${digits}.md`);
}

const HAS_DIGITS = /-[0-9a-f]{8}(?:\.md)?$/;

/**
 * Whether a row has a name with its id's digits on disk only because another file had the service's
 * name.
 * @returns the service's name; null where this is no such case
 */
export function ownNameOf(here: string, there: string, kind: "file" | "folder", id: string): string | null {
  if (here === there || !HAS_DIGITS.test(here) || hashedName(there, kind, id) !== here) return null;
  const own = localNameFor(there, kind, id);
  return own === here ? null : own;
}

/** The same by a link's paths. */
export function hasStandInName(link: LinkedPaths, kind: "file" | "folder"): boolean {
  const { localPath, remotePath, id } = link;
  return localPath !== remotePath && ownNameOf(nameOf(localPath), nameOf(remotePath), kind, id) !== null;
}

type LinkedPaths = { readonly localPath: LocalPath; readonly remotePath: RemotePath; readonly id: string };

/**
 * `note.md`, 2 → `note-2.md`: the name of the local one where two documents want one path.
 * @param max bytes of the longest name that the disk takes
 */
export function numberedName(name: string, kind: "file" | "folder", number: number, max = MAX_NAME_BYTES): string {
  const ending = kind === "file" && name.endsWith(".md") ? ".md" : "";
  const stem = name.slice(0, name.length - ending.length);
  return `${cutToBytes(stem, max - 12)}-${number}${ending}`;
}

/**
 * The mark of a name that only breaks a cycle. A row that kept one, because a plan was cut short,
 * gets its own name back.
 */
export const TEMPORARY_MARK = "-mdmirror-";
const TEMPORARY = new RegExp(`(?<=.)${TEMPORARY_MARK}[0-9a-f]{8}(\\.md)?$`, "s");

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * The name from which a temporary one was made, as far as that was kept; any other name as it is.
 */
export function lastingName(name: string): string {
  return name.replace(TEMPORARY, "$1");
}
