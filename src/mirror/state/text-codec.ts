import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Stored content. `codec`: 0 for plain UTF-8, 1 for zstd. `size`: length of the content in UTF-8,
 * in bytes.
 */
export type StoredText = { readonly codec: number; readonly size: number; readonly bytes: Buffer };

const PLAIN_CODEC = 0;
const ZSTD_CODEC = 1;
/**
 * LIMIT: number of bytes from which content is compressed. For less, zstd's frame would take more
 * than the compression saves.
 */
const MIN_COMPRESSED_BYTES = 256;

/** Compression level. Higher levels save little on notes, and take longer. */
const ZSTD_LEVEL = 1;

/** Encodes content for the store. The result is never longer than the content in UTF-8. */
export function encodeText(text: string): StoredText {
  const plainBytes = Buffer.from(text, "utf8");
  if (plainBytes.length >= MIN_COMPRESSED_BYTES) {
    // All output is one chunk. With Node's default chunk size, each content would leave 16 kB of
    // unused memory.
    const options = { chunkSize: plainBytes.length, params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } };
    const compressedBytes = zstdCompressSync(plainBytes, options);
    if (compressedBytes.length < plainBytes.length)
      return { codec: ZSTD_CODEC, size: plainBytes.length, bytes: compressedBytes };
  }
  return { codec: PLAIN_CODEC, size: plainBytes.length, bytes: plainBytes };
}

/**
 * Decodes stored content. If the bytes are damaged, `size` limits the length of the output.
 * @throws if `encodeText` did not make the bytes
 */
export function decodeText(stored: StoredText): string {
  if (stored.codec === PLAIN_CODEC) return stored.bytes.toString("utf8");
  return zstdDecompressSync(stored.bytes, { maxOutputLength: Math.max(stored.size, 1) }).toString("utf8");
}
