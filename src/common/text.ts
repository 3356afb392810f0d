import { isUtf8 } from "node:buffer";
import { countCharacters, MAX_CONTENT_CHARACTERS, type TextFault } from "../contract/limits.ts";

type DecodedText = { readonly text: string | null; readonly fault: TextFault | null };

/**
 * Decodes the bytes of a file as strict UTF-8. Keeps a BOM, so that encoding the string gives the
 * same bytes again (I25).
 * @returns `text` is null if the bytes are not UTF-8
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (!isUtf8(bytes)) return { text: null, fault: "not-utf-8" };
  // `toString` keeps a BOM and replaces nothing in valid UTF-8.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (bytes.includes(0)) return { text, fault: "contains-nul" };
  // A character takes at least one byte, so the characters of most files need not be counted.
  const isTooLong = bytes.length > MAX_CONTENT_CHARACTERS && countCharacters(text) > MAX_CONTENT_CHARACTERS;
  return { text, fault: isTooLong ? "too-large" : null };
}

/**
 * Encodes a string in UTF-8. Returns null if the string has lone surrogates, because UTF-8 cannot
 * encode them.
 */
export function encodeText(text: string): Uint8Array | null {
  return text.isWellFormed() ? Buffer.from(text, "utf8") : null;
}
