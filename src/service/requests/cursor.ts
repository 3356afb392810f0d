import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";

/**
 * A cursor is the place after the last row read, encrypted. So it does not show how many rows a key
 * cannot read, and cannot be forged. The encryption is deterministic: the tag over (query, place)
 * is also the nonce. So the same page of the same query always has the same cursor.
 */

const PREFIX = "cur_";
const TAG_BYTES = 16;
const PLACE_BYTES = 8;

/** @param query binds the cursor to the workspace, the kind of list and the selector */
export function sealCursor(secret: Buffer, query: string, place: number): string {
  const plain = Buffer.alloc(PLACE_BYTES);
  plain.writeBigUInt64BE(BigInt(place));
  const tag = tagOf(secret, query, plain);
  const sealed = createCipheriv("aes-256-ctr", secret, tag).update(plain);
  return PREFIX + Buffer.concat([tag, sealed]).toString("base64url");
}

/** @returns the place, or null for any cursor that `sealCursor` did not make for this query */
export function openCursor(secret: Buffer, query: string, cursor: string): number | null {
  if (!/^cur_[A-Za-z0-9_-]{32}$/.test(cursor)) return null;
  const bytes = Buffer.from(cursor.slice(PREFIX.length), "base64url");
  if (bytes.length !== TAG_BYTES + PLACE_BYTES) return null;
  const tag = bytes.subarray(0, TAG_BYTES);
  const plain = createDecipheriv("aes-256-ctr", secret, tag).update(bytes.subarray(TAG_BYTES));
  return timingSafeEqual(tag, tagOf(secret, query, plain)) ? Number(plain.readBigUInt64BE()) : null;
}

function tagOf(secret: Buffer, query: string, plain: Buffer): Buffer {
  return createHmac("sha256", secret).update(plain).update(query).digest().subarray(0, TAG_BYTES);
}
