import { brotliDecompressSync, gunzipSync } from "node:zlib";
type BodyText = { readonly kind: "text"; readonly text: string } | { readonly kind: "bad"; readonly why: string };

/** Encodings that an answer may have; `decodeBody` reads only these. */
export const ACCEPTED_ENCODINGS = "gzip, br";

/** Shared by all calls, because the decoder keeps no state between two decodings. */
const STRICT = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the bytes of an answer.
 * @param encoding the `content-encoding` header, or null
 * @param maxBytes limit of the decoded bytes: decoding stops when the output exceeds the limit
 */
export function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): BodyText {
  const plain = inflate(bytes, (encoding ?? "identity").trim().toLowerCase(), maxBytes);
  if (typeof plain === "string") return { kind: "bad", why: plain };
  if (plain.length > maxBytes) return { kind: "bad", why: "the answer is too large" };
  try {
    return { kind: "text", text: STRICT.decode(plain) };
  } catch {
    // A fatal decoder fails for no other reason.
    return { kind: "bad", why: "the answer is not UTF-8" };
  }
}

function inflate(bytes: Buffer, encoding: string, maxBytes: number): Buffer | string {
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "br")
    return "the answer has a compression that mdmirror did not ask for";
  // Answers 204 and 304 may have the encoding header without a body.
  if (bytes.length === 0) return bytes;
  try {
    // LIMIT: decoding is synchronous, which takes some milliseconds for the largest allowed answer,
    // and leaves no stream to clean up.
    const options = { maxOutputLength: maxBytes };
    return encoding === "br" ? brotliDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "the answer is too large" : "the compressed answer is damaged";
  }
}
