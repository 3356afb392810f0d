/**
 * Encrypts the position after the last row of a page as a cursor. So a cursor does not reveal how
 * many rows a key cannot read. The same page of the same query always has the same cursor.
 */

import { sealContent, unsealContent } from "./seal.ts";

const PREFIX = "cur_";
const POSITION_BYTES = 8;

/**
 * Returns the cursor for a position in a list.
 * @param query identifies the list; the cursor is valid for this workspace, kind of list and
 * selector only
 */
export function sealCursor(secret: Buffer, query: string, position: number): string {
  const content = Buffer.alloc(POSITION_BYTES);
  content.writeBigUInt64BE(BigInt(position));
  return PREFIX + sealContent(secret, query, content);
}

/**
 * Reads a cursor.
 * @returns the position, or null for any cursor that `sealCursor` did not make for this query
 */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const content = cursor.startsWith(PREFIX)
    ? unsealContent(secret, query, cursor.slice(PREFIX.length), POSITION_BYTES)
    : null;
  return content === null ? null : Number(content.readBigUInt64BE());
}
