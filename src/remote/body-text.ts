import { brotliDecompressSync, gunzipSync } from "node:zlib";

type BodyText = { readonly kind: "text"; readonly text: string } | { readonly kind: "bad"; readonly why: string };

/** What an answer may be encoded in; `decodeBody` reads these and no other. */
export const ACCEPTED_ENCODINGS = "gzip, br";

/** Made once: it keeps nothing from one whole text to the next. */
const STRICT = new TextDecoder("utf-8", { fatal: true });

/**
 * Turns the bytes of an answer into text.
 * @param encoding the `content-encoding` header, or null
 * @param maxBytes bound of the decoded bytes: a bomb is given up as soon as it has grown past it
 */
export function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): BodyText {
  const plain = inflate(bytes, (encoding ?? "identity").trim().toLowerCase(), maxBytes);
  if (typeof plain === "string") return { kind: "bad", why: plain };
  if (plain.length > maxBytes) return { kind: "bad", why: "the answer is too large" };
  try {
    return { kind: "text", text: STRICT.decode(plain) };
  } catch {
    // The only failure of a fatal decoder.
    return { kind: "bad", why: "the answer is not UTF-8" };
  }
}

function inflate(bytes: Buffer, encoding: string, maxBytes: number): Buffer | string {
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "br")
    return "the answer's encoding was not asked for";
  // 204 and 304 have a header, yet no body.
  if (bytes.length === 0) return bytes;
  try {
    // LIMIT: synchronous, some milliseconds for the largest answer allowed; in turn no stream has
    // to be torn down.
    const options = { maxOutputLength: maxBytes };
    return encoding === "br" ? brotliDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "the answer is too large" : "the answer's encoding is damaged";
  }
}
