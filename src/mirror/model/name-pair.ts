/**
 * Checks whether the two paths of a recorded document or folder correspond. They may differ if a
 * name was converted. Any other difference means that mdmirror was interrupted while it carried a
 * move to the other side.
 */

import {
  DOUBTFUL_CHARACTERS,
  FIRST_SHELL_METACHARACTERS,
  mapName,
  SHELL_METACHARACTERS,
} from "../../contract/names.ts";
import { isHashedNameOf } from "./local-name.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * Sets of refused characters by which a name may have been converted: this version's set, the first
 * version's, and this version's with the characters that only some deployments refuse.
 */
const REFUSED_SETS = [SHELL_METACHARACTERS, FIRST_SHELL_METACHARACTERS, SHELL_METACHARACTERS + DOUBTFUL_CHARACTERS];

/**
 * Returns true if the two names correspond.
 * @param id id of the document or folder; null if only the names are known: then a hashed name with
 * any digits corresponds
 */
export function isNamePair(localName: string, remoteName: string, kind: "file" | "folder", id: string | null): boolean {
  if (localName === remoteName || localName.normalize("NFC") === remoteName.normalize("NFC")) return true;
  // Refused characters are learned, so the name may have been converted by an earlier set.
  for (const refused of REFUSED_SETS) if (mapName(localName, kind, refused) === remoteName) return true;
  return isHashedNameOf(localName, remoteName, kind, id);
}

/** Returns true if the two paths correspond, name by name. */
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
      const last = index === ours.length - 1;
      return isNamePair(name, theirs[index]!, last ? kind : "folder", last ? id : null);
    })
  );
}
