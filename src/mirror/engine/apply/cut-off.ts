import { type Digest, digestOf } from "../../../contract/digest.ts";

/** How a file that was not durable looks after a power loss. */

/**
 * ASSUMES: disks write whole sectors and systems write pages of them, so a torn file ends at a
 * multiple of this many bytes. A file that ends elsewhere was shortened by a person.
 */
const SECTOR = 512;

/** A file, by how many bytes it has. */
type Left = { readonly size: number; readonly digest: Digest };

/**
 * Whether a file holds some first sectors of `bytes` and then nothing or zeros. Compared by digest,
 * because half a character cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { size, digest }: Left): boolean {
  if (size > bytes.length) return false;
  for (let kept = 0; kept <= size; kept += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, kept)], size)) === digest) return true;
  return false;
}

/** Whether a text is that of some whole sectors, of none too, and then of zeros to its end. */
export function isZeroed(text: string): boolean {
  const kept = text.indexOf("\0");
  if (kept < 0 || !/^\0+$/.test(text.slice(kept))) return false;
  return Buffer.byteLength(text.slice(0, kept)) % SECTOR === 0;
}
