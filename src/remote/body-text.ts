import { isAscii, isUtf8 } from "node:buffer";

type BodyText = { readonly kind: "text"; readonly text: string } | { readonly kind: "bad"; readonly why: string };

/** The encodings that an answer may have; `decodeBody` reads these and no other. */
export const ACCEPTED_ENCODINGS = "gzip, br";

/** One for all, because it keeps nothing between two whole texts. */
const STRICT = new TextDecoder("utf-8", { fatal: true });

/** Turns the bytes of an answer into text; the parameters are those of `inflateBody`. */
export function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): BodyText {
  const plain = inflateBody(bytes, encoding, maxBytes);
  if (typeof plain === "string") return { kind: "bad", why: plain };
  try {
    return { kind: "text", text: STRICT.decode(plain) };
  } catch {
    // The only failure of a fatal decoder.
    return { kind: "bad", why: "the answer is not UTF-8" };
  }
}

/**
 * @param encoding the `content-encoding` header, or null
 * @param maxBytes bound of the decoded bytes: a bomb is given up as soon as it has grown past it
 * @returns the bytes as they were before they were packed, or why they cannot be told
 */
export function inflateBody(bytes: Buffer, encoding: string | null, maxBytes: number): Buffer | string {
  const plain = inflate(bytes, (encoding ?? "identity").trim().toLowerCase(), maxBytes);
  return typeof plain !== "string" && plain.length > maxBytes ? "the answer is too large" : plain;
}

function inflate(bytes: Buffer, encoding: string, maxBytes: number): Buffer | string {
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "br")
    return "the answer's encoding was not asked for";
  // 204 and 304 may have the header without a body.
  if (bytes.length === 0) return bytes;
  try {
    // LIMIT: synchronous, which takes some milliseconds for the largest answer allowed, and needs
    // no stream that may have to be torn down.
    const options = { maxOutputLength: maxBytes };
    const { brotliDecompressSync, gunzipSync } = process.getBuiltinModule("node:zlib");
    return encoding === "br" ? brotliDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "the answer is too large" : "the answer's encoding is damaged";
  }
}

const LINE_FEED = 0x0a;

/**
 * The lines of a body, each with its line feed in a string of its own: a string of hundreds of
 * kilobytes takes fresh memory of the system each time.
 * @param bytes not packed. @returns null for what is not UTF-8
 */
export function decodeLines(bytes: Buffer): string[] | null {
  if (!isUtf8(bytes)) return null;
  const encoding = isAscii(bytes) ? "latin1" : "utf8";
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed === -1 ? bytes.length : feed + 1;
    lines.push(bytes.toString(encoding, at, end));
    at = end;
  }
  return lines;
}
