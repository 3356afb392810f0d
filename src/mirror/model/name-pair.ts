import {
  DOUBTFUL_CHARACTERS,
  FIRST_SHELL_METACHARACTERS,
  mapName,
  SHELL_METACHARACTERS,
} from "../../contract/names.ts";
import { isHashedNameOf } from "./local-name.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * Whether the two places of a linked document or folder belong together. They may differ by a
 * mapped name; else a move of two steps was cut off between them, and neither side has "moved"
 * although the document is in two places.
 */

/**
 * The sets of characters by which a name may have been mapped: that of this version, that of the
 * first, and both.
 */
const REFUSED = [SHELL_METACHARACTERS, FIRST_SHELL_METACHARACTERS, SHELL_METACHARACTERS + DOUBTFUL_CHARACTERS];

/**
 * @param id of the document or folder; null where only the names are known: then any hashed name of
 * the form fits
 */
export function isNamePair(here: string, there: string, kind: "file" | "folder", id: string | null): boolean {
  if (here === there || here.normalize("NFC") === there.normalize("NFC")) return true;
  // Which characters are refused is learned, so the name may have been mapped by an earlier set.
  for (const refused of REFUSED) if (mapName(here, kind, refused) === there) return true;
  return isHashedNameOf(here, there, kind, id);
}

/**
 * Compares the paths by strings alone, name by name: quick enough for the many documents of which
 * nothing else has changed.
 */
export function isPathPair(here: LocalPath, there: RemotePath, id: string, kind: "file" | "folder" = "file"): boolean {
  if (here === there) return true;
  const [ours, theirs] = [here.split("/"), there.split("/")];
  return (
    ours.length === theirs.length &&
    ours.every((name, index) => {
      const last = index === ours.length - 1;
      return isNamePair(name, theirs[index]!, last ? kind : "folder", last ? id : null);
    })
  );
}
