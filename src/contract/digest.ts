import { hash } from "node:crypto";

declare const brand: unique symbol;

/**
 * Digest of a content: SHA-256 of its UTF-8 bytes, 64 lower-case hex digits. Identifies a version
 * everywhere: records, content store, intents.
 */
export type Digest = string & { readonly [brand]: "Digest" };

/**
 * Returns the digest of bytes, or of a string's UTF-8 form. The string must not have lone
 * surrogates, which would all hash as U+FFFD.
 */
export function digestOf(content: string | Uint8Array): Digest {
  return hash("sha256", content, "hex") as Digest;
}

export const EMPTY_DIGEST = digestOf("");
