/**
 * Converts names between the two sides. If the disk accepts a remote name, the local name is the
 * same. Otherwise a local name is derived from the remote name, always with the same result. A
 * local name that the service refuses gets a legal remote name.
 */

import { mapName } from "../../contract/names.ts";
import { digestOf } from "../../contract/digest.ts";
import { cutToBytes, isConflictCopyName, type LocalPath, nameOf, type RemotePath } from "../../contract/path.ts";

const CONTROL_OR_SLASH = /[\u0000-\u001f\u007f-\u009f\\/]/g;
/**
 * Beginning of names that editors and desktops give to temporary files. The scan ignores these
 * files.
 */
const LEFTOVER_NAME = /^\.[#_]/;

/**
 * Returns true if a remote name could lead out of the linked folder, or into `.mdmirror`. Such a
 * name is never converted, and its document is blocked.
 */
export function isUnsafeName(name: string, kind: "file" | "folder"): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) return true;
  return kind === "folder" ? name.startsWith(".") : !name.endsWith(".md") || name === ".md";
}

/**
 * Returns the remote name if the disk accepts it. Otherwise returns a name from its stem and from
 * digits of the id's digest.
 * @param maxBytes length of the longest name that the disk accepts, in bytes
 */
export function toLocalName(name: string, kind: "file" | "folder", id: string, maxBytes: number): string {
  const isAcceptedByDisk =
    Buffer.byteLength(name) <= maxBytes &&
    name.isWellFormed() &&
    name.search(CONTROL_OR_SLASH) === -1 &&
    !LEFTOVER_NAME.test(name) &&
    !(kind === "file" && isConflictCopyName(name));
  return isAcceptedByDisk ? name : makeHashedName(name, kind, id, maxBytes);
}

/**
 * Returns the remote name for a local name. Null if the service would not accept any such name, or
 * if other clients would refuse it (`isUnsafeName`).
 * @param refused characters that the deployment refuses in names
 */
export function toRemoteName(name: string, kind: "file" | "folder", refused: string): string | null {
  const mappedName = mapName(name, kind, refused);
  return mappedName === null || isUnsafeName(mappedName, kind) ? null : mappedName;
}

/**
 * Returns a local name: the shortened stem, `-`, and 8 hex digits of the id's digest. The name is
 * unique in its folder, and is the same in every cycle.
 */
export function makeHashedName(name: string, kind: "file" | "folder", id: string, maxBytes: number): string {
  const hashedEnding = `${makeDigits(id)}${kind === "file" ? ".md" : ""}`;
  return `${cutToBytes(toSafeStem(name, kind), maxBytes - hashedEnding.length)}${hashedEnding}`;
}

/** Returns a name without its extension and without characters that a disk may refuse. */
function toSafeStem(name: string, kind: "file" | "folder"): string {
  return (kind === "file" ? name.slice(0, -3) : name)
    .toWellFormed()
    .replace(CONTROL_OR_SLASH, "-")
    .replace(/^\.[#_]+/, "");
}

function makeDigits(id: string): string {
  return `-${digestOf(id).slice(0, 8)}`;
}

const HAS_DIGITS = /-[0-9a-f]{8}(?:\.md)?$/;

/** Returns true if a name ends with the digits that `makeHashedName` gives to this id. */
export function hasDigitsOfId(name: string, id: string): boolean {
  const [digitsAtEnd] = HAS_DIGITS.exec(name) ?? [];
  return digitsAtEnd?.startsWith(makeDigits(id)) === true;
}

/**
 * Returns true if a local name may come from `makeHashedName`. The length of the stem does not
 * matter, because another disk may have another length limit.
 * @param id null if the id is unknown; then the digits of any id are accepted
 */
export function mayBeHashedName(
  localName: string,
  remoteName: string,
  kind: "file" | "folder",
  id: string | null,
): boolean {
  const [endingWithDigits] = HAS_DIGITS.exec(localName) ?? [];
  if (endingWithDigits === undefined || endingWithDigits.endsWith(".md") !== (kind === "file")) return false;
  return (
    (id === null || hasDigitsOfId(localName, id)) &&
    toSafeStem(remoteName, kind).startsWith(localName.slice(0, -endingWithDigits.length))
  );
}

/**
 * Returns the original local name of a document or folder that has a name with digits of its id,
 * because the original name was taken. Otherwise returns null.
 */
export function findOriginalName(
  localName: string,
  remoteName: string,
  kind: "file" | "folder",
  id: string,
  maxBytes: number,
): string | null {
  if (
    localName === remoteName ||
    !HAS_DIGITS.test(localName) ||
    makeHashedName(remoteName, kind, id, maxBytes) !== localName
  )
    return null;
  const fittingName = toLocalName(remoteName, kind, id, maxBytes);
  return fittingName === localName ? null : fittingName;
}

export function hasSubstituteName(record: RecordedPaths, kind: "file" | "folder", maxBytes: number): boolean {
  const { localPath, remotePath, id } = record;
  return (
    localPath !== remotePath && findOriginalName(nameOf(localPath), nameOf(remotePath), kind, id, maxBytes) !== null
  );
}

type RecordedPaths = { readonly localPath: LocalPath; readonly remotePath: RemotePath; readonly id: string };

/**
 * Returns `note-2.md` for `note.md` and 2. Such a name is used if another document has the path of
 * `note.md`.
 */
export function makeNumberedName(name: string, kind: "file" | "folder", number: number, maxBytes: number): string {
  const ending = kind === "file" && name.endsWith(".md") ? ".md" : "";
  const stem = name.slice(0, name.length - ending.length);
  return `${cutToBytes(stem, maxBytes - 12)}-${number}${ending}`;
}

/**
 * Part of every temporary name. mdmirror uses temporary names only to break a circle of moves. If
 * an interrupted plan leaves a temporary name, a later cycle replaces it.
 */
export const TEMPORARY_MARK = "-mdmirror-";
const TEMPORARY_NAME = new RegExp(`(?<=.)${TEMPORARY_MARK}[0-9a-f]{8}(\\.md)?$`, "s");

export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/**
 * Returns the name from which a temporary name was made. A long name was shortened, so its end may
 * be missing. Other names are returned unchanged.
 */
export function toOriginalName(name: string): string {
  return name.replace(TEMPORARY_NAME, "$1");
}
