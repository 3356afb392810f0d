import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Content as the store has it. @property codec 0 is plain UTF-8, 1 is zstd @property size bytes of
 * the UTF-8
 */
export type StoredText = { readonly codec: number; readonly size: number; readonly bytes: Buffer };

const PLAIN = 0;
const ZSTD = 1;
/** LIMIT: below this size zstd's frame uses up most of its saving, at 15 µs each. */
const MIN_COMPRESSED_BYTES = 256;

/**
 * zstd at level 1: notes of 700 bytes take 1 % more than at the default level 3, in the same time;
 * book chapters of 6 kB 4 % more, in three fifths of it.
 */
const LEVEL = 1;

/** The compressed bytes are never more than those of the UTF-8. */
export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length >= MIN_COMPRESSED_BYTES) {
    // One chunk of the content's own size: by default each content would leave 16 kB of garbage.
    const options = { chunkSize: plain.length, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };
    const packed = zstdCompressSync(plain, options);
    if (packed.length < plain.length) return { codec: ZSTD, size: plain.length, bytes: packed };
  }
  return { codec: PLAIN, size: plain.length, bytes: plain };
}

/**
 * @throws if the bytes were not made by `encodeText`. `size` limits what a damaged blob can inflate
 * to.
 */
export function decodeText(stored: StoredText): string {
  if (stored.codec === PLAIN) return stored.bytes.toString("utf8");
  return zstdDecompressSync(stored.bytes, { maxOutputLength: Math.max(stored.size, 1) }).toString("utf8");
}
