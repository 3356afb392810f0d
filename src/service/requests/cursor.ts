import { seal, unseal } from "./seal.ts";

/**
 * Encrypts the place after the last row read as a cursor. So a cursor does not show how many rows a
 * key cannot read, and the same page of the same query always has the same cursor.
 */

const PREFIX = "cur_";
const PLACE_BYTES = 8;

/**
 * Returns the cursor of a place.
 * @param query binds the cursor to the workspace, the kind of list and the selector
 */
export function sealCursor(secret: Buffer, query: string, place: number): string {
  const plain = Buffer.alloc(PLACE_BYTES);
  plain.writeBigUInt64BE(BigInt(place));
  return PREFIX + seal(secret, query, plain);
}

/**
 * Reads a cursor.
 * @returns the place, or null for any cursor that `sealCursor` did not make for this query
 */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const plain = cursor.startsWith(PREFIX) ? unseal(secret, query, cursor.slice(PREFIX.length), PLACE_BYTES) : null;
  return plain === null ? null : Number(plain.readBigUInt64BE());
}
