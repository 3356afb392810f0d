import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Content in the form of the store. `codec`: 0 is plain UTF-8, 1 is zstd. `size`: number of bytes
 * in UTF-8.
 */
export type StoredText = { readonly codec: number; readonly size: number; readonly bytes: Buffer };

const PLAIN = 0;
const ZSTD = 1;
/**
 * LIMIT: content with fewer bytes is not compressed, because zstd's frame would use up most of the
 * saving.
 */
const MIN_COMPRESSED_BYTES = 256;

/** Level of zstd. Higher levels save little on notes, and take longer. */
const LEVEL = 1;

/** Encodes content for the store. The result is never longer than the UTF-8. */
export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length >= MIN_COMPRESSED_BYTES) {
    // One chunk of the content's own size, because the default leaves 16 kB of garbage for each
    // content.
    const options = { chunkSize: plain.length, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };
    const packed = zstdCompressSync(plain, options);
    if (packed.length < plain.length) return { codec: ZSTD, size: plain.length, bytes: packed };
  }
  return { codec: PLAIN, size: plain.length, bytes: plain };
}

/**
 * Decodes stored content. `size` limits the output of damaged bytes.
 * @throws if `encodeText` did not make the bytes
 */
export function decodeText(stored: StoredText): string {
  if (stored.codec === PLAIN) return stored.bytes.toString("utf8");
  return zstdDecompressSync(stored.bytes, { maxOutputLength: Math.max(stored.size, 1) }).toString("utf8");
}
