import { hash } from "node:crypto";

declare const brand: unique symbol;

/** Digest that identifies content: the SHA-256 of its UTF-8 bytes, in 64 lower-case hex digits. */
export type Digest = string & { readonly [brand]: "Digest" };

/**
 * Returns the digest of bytes, or of a string in UTF-8. The string must not have lone surrogates,
 * because they would all be hashed as U+FFFD.
 */
export function digestOf(content: string | Uint8Array): Digest {
  return hash("sha256", content, "hex") as Digest;
}

export const EMPTY_DIGEST = digestOf("");
