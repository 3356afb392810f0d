import { type Digest, digestOf } from "../../../contract/digest.ts";

/** Recognises files that a power loss damaged. */

/**
 * ASSUMES: disks write whole sectors and systems write pages of them, so a damaged file ends at a
 * multiple of this many bytes. A file that ends elsewhere was shortened by a person.
 */
const SECTOR = 512;

/** A file, described by its size in bytes and its digest. */
type Left = { readonly size: number; readonly digest: Digest };

/**
 * Returns whether a file has some first sectors of `bytes` and then nothing or zeros. Compared by
 * digest, because half a character cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { size, digest }: Left): boolean {
  if (size > bytes.length) return false;
  for (let kept = 0; kept <= size; kept += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, kept)], size)) === digest) return true;
  return false;
}

/** Returns whether a text consists of some whole sectors, or none, and then of zeros to its end. */
export function isZeroed(text: string): boolean {
  const kept = text.indexOf("\0");
  if (kept < 0 || !/^\0+$/.test(text.slice(kept))) return false;
  return Buffer.byteLength(text.slice(0, kept)) % SECTOR === 0;
}
