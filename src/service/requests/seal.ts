/**
 * Encrypts a position that a client keeps. The client cannot read or forge the result. The same
 * position and purpose always give the same result, because the nonce is computed from them.
 */

import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";

const TAG_BYTES = 16;

/**
 * @param purpose use of the result, such as a query. `unsealContent` must be called with the same
 * purpose
 */
export function sealContent(secret: Buffer, purpose: string, plain: Buffer): string {
  const tag = makeTag(secret, purpose, plain);
  const sealedContent = createCipheriv("aes-256-ctr", secret, tag).update(plain);
  return Buffer.concat([tag, sealedContent]).toString("base64url");
}

/**
 * Returns the content that `sealContent` encrypted for this purpose; null if the string is anything
 * else.
 * @param bytes length of the content
 */
export function unsealContent(secret: Buffer, purpose: string, text: string, bytes: number): Buffer | null {
  const sealed = Buffer.from(text, "base64url");
  if (sealed.length !== TAG_BYTES + bytes || sealed.toString("base64url") !== text) return null;
  const tag = sealed.subarray(0, TAG_BYTES);
  const content = createDecipheriv("aes-256-ctr", secret, tag).update(sealed.subarray(TAG_BYTES));
  return timingSafeEqual(tag, makeTag(secret, purpose, content)) ? content : null;
}

function makeTag(secret: Buffer, purpose: string, plain: Buffer): Buffer {
  return createHmac("sha256", secret).update(plain).update(purpose).digest().subarray(0, TAG_BYTES);
}
