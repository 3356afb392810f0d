import { isUtf8 } from "node:buffer";
import { countCharacters, MAX_CONTENT_CHARACTERS, type TextFault } from "../contract/limits.ts";

type DecodedText = { readonly text: string | null; readonly fault: TextFault | null };

/**
 * Judges the bytes of a file. Strict UTF-8 (no overlong forms, no surrogates); the text is the
 * bytes, BOM included, so that encoding it gives them back (I25).
 * @returns `text` null only when the bytes are not UTF-8
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (!isUtf8(bytes)) return { text: null, fault: "not-utf-8" };
  // `toString` keeps a BOM, and valid UTF-8 gives it nothing to replace.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (bytes.includes(0)) return { text, fault: "contains-nul" };
  // A character has at least one byte, so the characters of a short file need not be counted.
  const long = bytes.length > MAX_CONTENT_CHARACTERS && countCharacters(text) > MAX_CONTENT_CHARACTERS;
  return { text, fault: long ? "too-large" : null };
}

/** @returns null for a text that has no UTF-8 form (lone surrogates) */
export function encodeText(text: string): Uint8Array | null {
  return text.isWellFormed() ? Buffer.from(text, "utf8") : null;
}
