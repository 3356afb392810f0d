import { brotliDecompressSync, gunzipSync } from "node:zlib";
type BodyText = { readonly kind: "text"; readonly text: string } | { readonly kind: "bad"; readonly why: string };

export const ACCEPTED_ENCODINGS = "gzip, br";

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decompresses the body of an answer, and decodes it as UTF-8.
 * @param encoding value of the `content-encoding` header; null if the answer has no such header
 * @param maxBytes largest number of bytes after decompression
 */
export function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): BodyText {
  const plainBytes = decompress(bytes, (encoding ?? "identity").trim().toLowerCase(), maxBytes);
  if (typeof plainBytes === "string") return { kind: "bad", why: plainBytes };
  if (plainBytes.length > maxBytes) return { kind: "bad", why: "the answer is too large" };
  try {
    return { kind: "text", text: STRICT_UTF8.decode(plainBytes) };
  } catch {
    // The decoder throws only if the bytes are not UTF-8.
    return { kind: "bad", why: "the answer is not UTF-8" };
  }
}

function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer | string {
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "br")
    return "the answer has a compression that mdmirror did not ask for";
  // Answers with status 204 or 304 have no body, but may have a `content-encoding` header.
  if (bytes.length === 0) return bytes;
  try {
    // LIMIT: number of bytes after decompression, so that this synchronous call blocks for some
    // milliseconds at most. A stream would not block, but would have to be closed after each error.
    const options = { maxOutputLength: maxBytes };
    return encoding === "br" ? brotliDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "the answer is too large" : "the compressed answer is damaged";
  }
}
