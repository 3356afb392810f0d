import { hash } from "node:crypto";

declare const brand: unique symbol;

/** SHA-256 of content in UTF-8, as 64 lower-case hex digits. Equal digests mean equal contents. */
export type Digest = string & { readonly [brand]: "Digest" };

/**
 * Returns the digest of bytes, or of a string in UTF-8. The string must not have lone surrogates,
 * because all lone surrogates would have the same digest.
 */
export function digestOf(content: string | Uint8Array): Digest {
  return hash("sha256", content, "hex") as Digest;
}

export const EMPTY_DIGEST = digestOf("");
