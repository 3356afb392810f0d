import { digestOf } from "../../model/digest.ts";
import type { LocalFile } from "../../model/tree.ts";

/** How a file that was not durable looks after a power loss. */

/**
 * ASSUMES: disks write whole sectors and systems write pages of them, so a torn file ends at a
 * multiple of this many bytes. A file that ends elsewhere was shortened by a person.
 */
const SECTOR = 512;

/**
 * Whether a file holds some first sectors of `bytes` and then nothing or zeros. Compared by digest,
 * because half a character cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { stamp: { size }, digest }: Pick<LocalFile, "stamp" | "digest">): boolean {
  if (size > bytes.length) return false;
  for (let kept = 0; kept <= size; kept += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, kept)], size)) === digest) return true;
  return false;
}

/** Whether `text` is some first sectors of `whole`. */
export function isCutAtSector(text: string, whole: string): boolean {
  return text.length < whole.length && whole.startsWith(text) && Buffer.byteLength(text) % SECTOR === 0;
}
