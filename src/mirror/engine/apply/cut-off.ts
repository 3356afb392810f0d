/** Recognises files that a power loss damaged: they end early, or end in zeros. */

import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { LocalFile } from "../../model/tree.ts";
import { META } from "../run/meta.ts";
import type { World } from "../run/world.ts";

/**
 * ASSUMES: disks write whole sectors, and systems write whole pages. The part of a file that was
 * written before a power loss has thus a multiple of this many bytes. A file with another length
 * was shortened by a user.
 */
const SECTOR = 512;

type SizeAndDigest = { readonly size: number; readonly digest: Digest };

/** Returns true if the machine was restarted since the last repair after a power loss. */
export function hasRestarted({ state, bootId }: World): boolean {
  const recordedBoot = state.meta(META.boot);
  return bootId !== null && recordedBoot !== null && recordedBoot !== bootId;
}

/**
 * Returns true if a file may be damaged: its size is a multiple of a sector, or it contains zeros.
 */
export function mayBeCutOff({ stamp: { size }, textFault }: LocalFile): boolean {
  return size % SECTOR === 0 || textFault === "contains-nul";
}

/** Returns true if a file may be a version of `text` that a power loss damaged. */
export function isDamagedByPowerLoss(
  { disk }: Pick<World, "disk">,
  { path, stamp, bytes, digest }: LocalFile,
  text: string,
): boolean {
  const expectedBytes = Buffer.from(disk.toLocalForm?.(path, text) ?? text);
  const sizeAndDigest = { size: stamp.size, digest: bytes ?? digest };
  return sizeAndDigest.digest !== digestOf(expectedBytes) && isCutOff(expectedBytes, sizeAndDigest);
}

/**
 * Returns true if a file consists of the first sectors of `bytes`, followed by zeros or nothing.
 * Compares digests, because a character that was cut in half cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { size, digest }: SizeAndDigest): boolean {
  if (size > bytes.length) return false;
  for (let length = 0; length <= size; length += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, length)], size)) === digest) return true;
  return false;
}

/** Returns true if `text` ends in zeros, after whole sectors of other bytes or after nothing. */
export function isZeroed(text: string): boolean {
  const firstZero = text.indexOf("\0");
  if (firstZero < 0 || !/^\0+$/.test(text.slice(firstZero))) return false;
  return Buffer.byteLength(text.slice(0, firstZero)) % SECTOR === 0;
}
