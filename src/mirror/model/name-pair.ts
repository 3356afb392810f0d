/**
 * Checks whether the local path and the remote path of a document or folder correspond. They
 * correspond if they are equal, or if their only difference is the conversion of names. Any other
 * difference means that mdmirror was interrupted before it moved the document on the second side.
 */

import {
  DOUBTFUL_CHARACTERS,
  FIRST_SHELL_METACHARACTERS,
  mapName,
  SHELL_METACHARACTERS,
} from "../../contract/names.ts";
import { mayBeHashedName } from "./local-name.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * Sets of refused characters that may have been in use when a name was converted: the current set,
 * the first set that mdmirror used, and the current set with characters that only some deployments
 * refuse.
 */
const REFUSED_SETS = [SHELL_METACHARACTERS, FIRST_SHELL_METACHARACTERS, SHELL_METACHARACTERS + DOUBTFUL_CHARACTERS];

/**
 * Returns true if two names correspond: they are equal in NFC, or one was converted from the other.
 * @param id id of the document or folder; null if unknown, so that the digits of any id correspond
 */
export function isNamePair(localName: string, remoteName: string, kind: "file" | "folder", id: string | null): boolean {
  if (localName === remoteName || localName.normalize("NFC") === remoteName.normalize("NFC")) return true;
  // mdmirror learns which characters are refused, so the name may have been converted with another
  // set.
  for (const refused of REFUSED_SETS) if (mapName(localName, kind, refused) === remoteName) return true;
  return mayBeHashedName(localName, remoteName, kind, id);
}

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
