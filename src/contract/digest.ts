import { hash } from "node:crypto";

declare const brand: unique symbol;

/**
 * SHA-256 of a text's UTF-8 bytes, 64 lower-case hex digits. Names a text version everywhere:
 * links, text store, intents.
 */
export type Digest = string & { readonly [brand]: "Digest" };

/**
 * Pure. A string is hashed as UTF-8; it must hold no lone surrogate (all of them would hash as
 * U+FFFD).
 */
export function digestOf(content: string | Uint8Array): Digest {
  return hash("sha256", content, "hex") as Digest;
}
