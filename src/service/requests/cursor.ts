/**
 * Encrypts the position after the last row of a page; the result is the cursor. The cursor does not
 * reveal the number of rows that a key cannot read. The same position in the same query always
 * gives the same cursor.
 */

import { sealContent, unsealContent } from "./seal.ts";

const CURSOR_PREFIX = "cur_";
const CURSOR_POSITION_BYTES = 8;

/**
 * @param query workspace, kind of list and selector. The cursor is accepted only for the same query
 */
export function sealCursor(secret: Buffer, query: string, position: number): string {
  const content = Buffer.alloc(CURSOR_POSITION_BYTES);
  content.writeBigUInt64BE(BigInt(position));
  return CURSOR_PREFIX + sealContent(secret, query, content);
}

/**
 * Returns the position in a cursor; null if `sealCursor` did not make the cursor for this query.
 */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const content = cursor.startsWith(CURSOR_PREFIX)
    ? unsealContent(secret, query, cursor.slice(CURSOR_PREFIX.length), CURSOR_POSITION_BYTES)
    : null;
  return content === null ? null : Number(content.readBigUInt64BE());
}
