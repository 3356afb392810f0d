/**
 * Converts names between the two sides. If the disk accepts a remote name, the local name is the
 * same. Otherwise a local name is derived from the remote name, always with the same result. A
 * local name that the service refuses gets a legal remote name.
 */
import {
  DOUBTFUL_CHARACTERS,
  FIRST_SHELL_METACHARACTERS,
  mapName,
  SHELL_METACHARACTERS,
} from "../../contract/names.ts";
import { digestOf } from "../../contract/digest.ts";
import {
  cutToBytes,
  isConflictCopyName,
  joinPath,
  type LocalPath,
  nameOf,
  parentOf,
  type RemotePath,
} from "../../contract/path.ts";
import type { Conflict, ShownVersion } from "./record.ts";

const CONTROL_OR_SLASH = /[\u0000-\u001f\u007f-\u009f\\/]/g;
/**
 * Matches the beginning of names that editors and desktops give to temporary files. The scan
 * ignores these files.
 */
const LEFTOVER_NAME = /^\.[#_]/;

/**
 * Returns true if a remote name could lead out of the linked folder, or into `.mdmirror`. mdmirror
 * never converts such a name, and blocks the document.
 */
export function isUnsafeName(name: string, kind: "file" | "folder"): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) return true;
  return kind === "folder" ? name.startsWith(".") : !name.endsWith(".md") || name === ".md";
}

/**
 * Returns the local name for the remote name `name`: the same name if the disk accepts it.
 * Otherwise the stem of `name`, with digits of the id.
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
 * if other clients would refuse the name (`isUnsafeName`).
 * @param refused characters that the deployment refuses in names
 */
export function toRemoteName(name: string, kind: "file" | "folder", refused: string): string | null {
  const mappedName = mapName(name, kind, refused);
  return mappedName === null || isUnsafeName(mappedName, kind) ? null : mappedName;
}

/**
 * Returns a local name: the shortened stem, `-`, and 8 hex digits of the id's digest. The name is
 * unique in its folder, and the same in every cycle.
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
 * matter, because another disk may have another limit.
 * @param id null if the id is unknown; then the digits of any id match
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
 * Returns the original local name of a document or folder with digits of its id in the name. Such a
 * name exists because the original name was taken. Returns null for other names.
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
 * Returns a numbered name, such as `note-2.md` for `note.md` and 2, for a document with a path that
 * another document has.
 */
export function makeNumberedName(name: string, kind: "file" | "folder", number: number, maxBytes: number): string {
  const ending = kind === "file" && name.endsWith(".md") ? ".md" : "";
  const stem = name.slice(0, name.length - ending.length);
  return `${cutToBytes(stem, maxBytes - 12)}-${number}${ending}`;
}

/**
 * Part of every temporary name. mdmirror uses temporary names only to break a circle of moves. A
 * later cycle replaces the temporary names that an interrupted plan leaves.
 */
export const TEMPORARY_MARK = "-mdmirror-";
const TEMPORARY_NAME = new RegExp(`(?<=.)${TEMPORARY_MARK}[0-9a-f]{8}(\\.md)?$`, "s");

export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/**
 * Returns the name from which a temporary name was made. A long name was shortened, so the end of
 * the result may be missing. Returns other names unchanged.
 */
export function toOriginalName(name: string): string {
  return name.replace(TEMPORARY_NAME, "$1");
}

/**
 * Sets of refused characters with which a name may have been converted. The sets are the current
 * set, the first set of mdmirror, and the current set with characters that only some deployments
 * refuse.
 */
const REFUSED_SETS = [SHELL_METACHARACTERS, FIRST_SHELL_METACHARACTERS, SHELL_METACHARACTERS + DOUBTFUL_CHARACTERS];

/**
 * Returns true if two names correspond: they are equal in NFC, or one was converted from the other.
 * @param id id of the document or folder; null if unknown, so that the digits of any id correspond
 */
export function isNamePair(localName: string, remoteName: string, kind: "file" | "folder", id: string | null): boolean {
  if (localName === remoteName || localName.normalize("NFC") === remoteName.normalize("NFC")) return true;
  // mdmirror learns which characters a service refuses, so an earlier conversion may have used
  // another set.
  for (const set of REFUSED_SETS) if (mapName(localName, kind, set) === remoteName) return true;
  return mayBeHashedName(localName, remoteName, kind, id);
}

/**
 * Returns true if the two paths of a document or folder correspond. If not, mdmirror was
 * interrupted before it moved the item on the second side.
 */
export function isPathPair(
  localPath: LocalPath,
  remotePath: RemotePath,
  id: string,
  kind: "file" | "folder" = "file",
): boolean {
  if (localPath === remotePath) return true;
  const [ours, theirs] = [localPath.split("/"), remotePath.split("/")];
  return (
    ours.length === theirs.length &&
    ours.every((name, index) => {
      const isLastName = index === ours.length - 1;
      return isNamePair(name, theirs[index]!, isLastName ? kind : "folder", isLastName ? id : null);
    })
  );
}

/**
 * Kind of a conflict copy. `theirs`: the service's version in a conflict. `mine`: a local version
 * that was replaced.
 */
type CopySide = "theirs" | "mine";

/**
 * Returns `note (theirs).md` or `note (mine).md` for `note.md`. No document on the service can have
 * such a name, because the service refuses it. A name that is too long for the disk is shortened.
 * Eight hex digits of the whole name's digest then keep it unique.
 * @param nth number of the copy, from 1; a number above 1 is part of the name: `note (mine 2).md`
 * @param maxBytes length of the longest name that the disk accepts, in bytes
 */
export function makeConflictCopyPath(path: LocalPath, side: CopySide, nth: number, maxBytes: number): LocalPath {
  const name = nameOf(path);
  const stem = name.replace(/\.md$/, "");
  const suffix = ` (${nth === 1 ? side : `${side} ${nth}`}).md`;
  if (Buffer.byteLength(stem) + suffix.length <= maxBytes) return joinPath(parentOf(path), `${stem}${suffix}`);
  const shortenedEnding = `-${digestOf(name).slice(0, 8)}${suffix}`;
  return joinPath(parentOf(path), `${cutToBytes(stem, maxBytes - shortenedEnding.length)}${shortenedEnding}`);
}

/** A recorded conflict copy. `nth`: position of its version in `Conflict.shown`, from 1. */
export type ConflictCopy = {
  readonly nth: number;
  readonly version: ShownVersion;
  /** Last known path of the copy. The path of an older copy is derived from the document's path. */
  readonly path: LocalPath;
  readonly isNewest: boolean;
};

export function makeTheirsCopyPath(document: LocalPath, nth: number, maxBytes: number): LocalPath {
  return makeConflictCopyPath(document, "theirs", nth, maxBytes);
}

/**
 * Returns the recorded copies of a conflict, oldest first. The list always has the newest copy, and
 * older copies that the user edited.
 * @param document local path of the document in base
 */
export function listConflictCopies(
  { shown, newestCopyPath: newest }: Conflict,
  document: LocalPath,
  maxBytes: number,
): ConflictCopy[] {
  return shown.flatMap((version, index): ConflictCopy[] => {
    const nth = index + 1;
    const isNewest = nth === shown.length;
    if (!isNewest && version.ino === 0) return [];
    return [{ nth, version, path: isNewest ? newest : makeTheirsCopyPath(document, nth, maxBytes), isNewest }];
  });
}
