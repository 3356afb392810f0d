/**
 * Encrypts the position after the last row that was read, as a cursor. So a cursor does not show
 * how many rows a key cannot read, and the same page of the same query always has the same cursor.
 */

import { seal, unseal } from "./seal.ts";

const PREFIX = "cur_";
const POSITION_BYTES = 8;

/**
 * Returns the cursor of a position.
 * @param query binds the cursor to the workspace, the kind of list and the selector
 */
export function sealCursor(secret: Buffer, query: string, position: number): string {
  const plain = Buffer.alloc(POSITION_BYTES);
  plain.writeBigUInt64BE(BigInt(position));
  return PREFIX + seal(secret, query, plain);
}

/**
 * Reads a cursor.
 * @returns the position, or null for any cursor that `sealCursor` did not make for this query
 */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const plain = cursor.startsWith(PREFIX) ? unseal(secret, query, cursor.slice(PREFIX.length), POSITION_BYTES) : null;
  return plain === null ? null : Number(plain.readBigUInt64BE());
}
