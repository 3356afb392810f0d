/**
 * Encrypts the position after the last row of a page as a cursor, so that the cursor does not
 * reveal how many rows a key cannot read. A position in a query always has the same cursor.
 */

import { sealContent, unsealContent } from "./seal.ts";

const CURSOR_PREFIX = "cur_";
const POSITION_BYTES = 8;

/** @param query workspace, kind of list and selector; no other list accepts the cursor */
export function sealCursor(secret: Buffer, query: string, position: number): string {
  const content = Buffer.alloc(POSITION_BYTES);
  content.writeBigUInt64BE(BigInt(position));
  return CURSOR_PREFIX + sealContent(secret, query, content);
}

/** Returns the position; null for a cursor that `sealCursor` did not make for this query. */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  const content = cursor.startsWith(CURSOR_PREFIX)
    ? unsealContent(secret, query, cursor.slice(CURSOR_PREFIX.length), POSITION_BYTES)
    : null;
  return content === null ? null : Number(content.readBigUInt64BE());
}
