/**
 * Encrypts a position that a client keeps, so that it reveals nothing and cannot be forged. The
 * encryption is deterministic, so that equal positions have equal results. For that, the
 * authentication tag over the content and its purpose is also the nonce.
 */

import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";

const TAG_BYTES = 16;

/**
 * Encrypts content.
 * @param purpose purpose for which the result is valid, such as a query; `unseal` needs the same
 * one
 */
export function sealContent(secret: Buffer, purpose: string, plain: Buffer): string {
  const tag = makeTag(secret, purpose, plain);
  const sealedContent = createCipheriv("aes-256-ctr", secret, tag).update(plain);
  return Buffer.concat([tag, sealedContent]).toString("base64url");
}

/**
 * Decrypts a result of `seal`.
 * @param bytes length of the content
 * @returns the content; null for any string that `seal` did not make of content with this length
 * and purpose
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
