/**
 * Converts names between the sides. Keeps a remote name that the disk accepts. Makes a local name
 * for any other remote name; the same name always gives the same result. Makes the remote name for
 * a local name.
 */

import { mapName } from "../../contract/names.ts";
import { digestOf } from "../../contract/digest.ts";
import { cutToBytes, isConflictCopyName, type LocalPath, nameOf, type RemotePath } from "../../contract/path.ts";

const CONTROL_OR_SLASH = /[\u0000-\u001f\u007f-\u009f\\/]/g;
/** Names that editors and desktops use for leftovers; the walk ignores such files. */
const LEFTOVER_NAME = /^\.[#_]/;

/**
 * Returns true if a remote name could lead out of the linked folder or into `.mdmirror`. Such a
 * name is blocked, and never converted to another name.
 */
export function isUnsafeName(name: string, kind: "file" | "folder"): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) return true;
  return kind === "folder" ? name.startsWith(".") : !name.endsWith(".md") || name === ".md";
}

/**
 * Returns the local name of a remote one: the same name if the disk can have it, otherwise a name
 * made of its stem and the id's digest.
 * @param maxBytes length of the longest name that the disk accepts; the same in all of this module
 */
export function localNameFor(name: string, kind: "file" | "folder", id: string, maxBytes: number): string {
  const fits =
    Buffer.byteLength(name) <= maxBytes &&
    name.isWellFormed() &&
    name.search(CONTROL_OR_SLASH) === -1 &&
    !LEFTOVER_NAME.test(name) &&
    !(kind === "file" && isConflictCopyName(name));
  return fits ? name : hashedName(name, kind, id, maxBytes);
}

/**
 * Returns the remote name under which a local name is uploaded. Null if the service accepts none,
 * or every other client would refuse it (`isUnsafeName`).
 * @param refused characters that the deployment refuses in names
 */
export function remoteNameFor(name: string, kind: "file" | "folder", refused: string): string | null {
  const mapped = mapName(name, kind, refused);
  return mapped === null || isUnsafeName(mapped, kind) ? null : mapped;
}

/**
 * Returns the shortened stem with `-` and 8 hex digits of the id's digest. The result is unique in
 * its folder, and the same in every cycle.
 */
export function hashedName(name: string, kind: "file" | "folder", id: string, maxBytes: number): string {
  const tail = `${digitsOf(id)}${kind === "file" ? ".md" : ""}`;
  return `${cutToBytes(stemOf(name, kind), maxBytes - tail.length)}${tail}`;
}

/** Returns the part of a remote name that a disk can have, without its extension. */
function stemOf(name: string, kind: "file" | "folder"): string {
  return (kind === "file" ? name.slice(0, -3) : name)
    .toWellFormed()
    .replace(CONTROL_OR_SLASH, "-")
    .replace(/^\.[#_]+/, "");
}

/** Returns the digits of an id's digest that `hashedName` puts into a name. */
function digitsOf(id: string): string {
  return `-${digestOf(id).slice(0, 8)}`;
}

const HAS_DIGITS = /-[0-9a-f]{8}(?:\.md)?$/;

/**
 * Returns true if a name ends with the digits of this id, so that `hashedName` may have made it.
 */
export function hasDigitsOf(name: string, id: string): boolean {
  const [tail] = HAS_DIGITS.exec(name) ?? [];
  return tail?.startsWith(digitsOf(id)) === true;
}

/**
 * Returns true if `hashedName` made a local name of a remote one. The folder may come from another
 * disk, so a name cut to any length counts.
 * @param id null if the id is unknown: then any digits fit
 */
export function isHashedNameOf(
  localName: string,
  remoteName: string,
  kind: "file" | "folder",
  id: string | null,
): boolean {
  const [tail] = HAS_DIGITS.exec(localName) ?? [];
  if (tail === undefined || tail.endsWith(".md") !== (kind === "file")) return false;
  return (
    (id === null || hasDigitsOf(localName, id)) && stemOf(remoteName, kind).startsWith(localName.slice(0, -tail.length))
  );
}

/**
 * Returns the local name that fits the name on the service, if the present local name has digits of
 * the id only because another file had the fitting name. Otherwise returns null.
 */
export function ownNameOf(
  localName: string,
  remoteName: string,
  kind: "file" | "folder",
  id: string,
  maxBytes: number,
): string | null {
  if (
    localName === remoteName ||
    !HAS_DIGITS.test(localName) ||
    hashedName(remoteName, kind, id, maxBytes) !== localName
  )
    return null;
  const fittingName = localNameFor(remoteName, kind, id, maxBytes);
  return fittingName === localName ? null : fittingName;
}

/** Returns true if a recorded document or folder has a name that `ownNameOf` would replace. */
export function hasSubstituteName(record: RecordedPaths, kind: "file" | "folder", maxBytes: number): boolean {
  const { localPath, remotePath, id } = record;
  return localPath !== remotePath && ownNameOf(nameOf(localPath), nameOf(remotePath), kind, id, maxBytes) !== null;
}

type RecordedPaths = { readonly localPath: LocalPath; readonly remotePath: RemotePath; readonly id: string };

/**
 * Returns `note-2.md` for `note.md` and 2. If two documents want one path, the local document gets
 * such a name.
 */
export function numberedName(name: string, kind: "file" | "folder", number: number, maxBytes: number): string {
  const ending = kind === "file" && name.endsWith(".md") ? ".md" : "";
  const stem = name.slice(0, name.length - ending.length);
  return `${cutToBytes(stem, maxBytes - 12)}-${number}${ending}`;
}

/**
 * Mark in a name that mdmirror uses only to break a circle of moves. If an interrupted plan leaves
 * such a name, a later cycle restores the original one.
 */
export const TEMPORARY_MARK = "-mdmirror-";
const TEMPORARY = new RegExp(`(?<=.)${TEMPORARY_MARK}[0-9a-f]{8}(\\.md)?$`, "s");

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Returns the name from which a temporary name was made, without the part that was cut off. Returns
 * any other name unchanged.
 */
export function lastingName(name: string): string {
  return name.replace(TEMPORARY, "$1");
}
