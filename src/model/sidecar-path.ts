import { digestOf } from "./digest.ts";
import { cutToBytes, joinPath, type LocalPath, MAX_NAME_BYTES, nameOf, parentOf } from "./path.ts";

/**
 * Whose text lies beside a document: the service's, while a conflict is open, or the local one that
 * gave way to it.
 */
type Beside = "theirs" | "mine";

/**
 * `note.md` → `note (theirs).md`, or `note (mine).md`: a name that the service refuses, so that no
 * document can have it. Where it would be too long for a disk, the stem is cut, and 8 hex digits of
 * the whole name's digest tell it from others that are cut alike.
 * @param nth from the second on the name says so: `note (mine 2).md`
 */
export function sidecarPath(path: LocalPath, whose: Beside = "theirs", nth = 1): LocalPath {
  const name = nameOf(path);
  const stem = name.replace(/\.md$/, "");
  const beside = ` (${nth === 1 ? whose : `${whose} ${nth}`}).md`;
  if (Buffer.byteLength(stem) + beside.length <= MAX_NAME_BYTES) return joinPath(parentOf(path), `${stem}${beside}`);
  const tail = `-${digestOf(name).slice(0, 8)}${beside}`;
  return joinPath(parentOf(path), `${cutToBytes(stem, MAX_NAME_BYTES - tail.length)}${tail}`);
}
