/** Recognises files that a power loss damaged. */

import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { LocalFile } from "../../model/tree.ts";
import { META } from "../run/meta.ts";
import type { World } from "../run/world.ts";

/**
 * ASSUMES: disks write whole sectors and systems write whole pages, so a damaged file ends at a
 * multiple of this many bytes. A file of any other length was shortened by a user.
 */
const SECTOR = 512;

/** A set-aside file, described by its size in bytes and its digest. */
type SizeAndDigest = { readonly size: number; readonly digest: Digest };

/** Returns true if the machine was restarted since a run last restored damaged files. */
export function hasRestarted({ state, bootId }: World): boolean {
  const before = state.meta(META.boot);
  return bootId !== null && before !== null && before !== bootId;
}

/** Returns true if a file has a size or zeros that a power loss may have caused. */
export function mayBeCutOff({ stamp: { size }, textFault }: LocalFile): boolean {
  return size % SECTOR === 0 || textFault === "contains-nul";
}

/** Returns true if a power loss may have turned this content into the file. */
export function isTorn(
  { disk }: Pick<World, "disk">,
  { path, stamp, bytes, digest }: LocalFile,
  text: string,
): boolean {
  const expected = Buffer.from(disk.toLocalForm?.(path, text) ?? text);
  const found = { size: stamp.size, digest: bytes ?? digest };
  return found.digest !== digestOf(expected) && isCutOff(expected, found);
}

/**
 * Returns true if a file has the first sectors of `bytes` and then zeros or nothing. Compares
 * digests, because half a character cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { size, digest }: SizeAndDigest): boolean {
  if (size > bytes.length) return false;
  for (let length = 0; length <= size; length += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, length)], size)) === digest) return true;
  return false;
}

/** Returns true if a text consists of whole sectors (or none), followed only by zeros. */
export function isZeroed(text: string): boolean {
  const firstZero = text.indexOf("\0");
  if (firstZero < 0 || !/^\0+$/.test(text.slice(firstZero))) return false;
  return Buffer.byteLength(text.slice(0, firstZero)) % SECTOR === 0;
}
