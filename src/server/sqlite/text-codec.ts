import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** How a text is stored: 0 is plain UTF-8, 1 is zstd, 2 is a text that was pruned. */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN = 0;
const ZSTD = 1;
export const PRUNED = 2;
/**
 * LIMIT: shorter texts stay plain. Measured: book chapters take 39 % of their size (37 % with every
 * text compressed), notes of half a kilobyte 87 % (56 %, but seven times as many texts to compress
 * and decompress, at 20 to 50 µs each).
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN, text: plain };
  const packed = zstdCompressSync(plain);
  return packed.length < plain.length ? { codec: ZSTD, text: packed } : { codec: PLAIN, text: plain };
}

/** @returns null for a text that was pruned */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED ? null : decodeText(stored);
}

/** For texts that are never pruned: live ones and those in review. */
export function decodeText(stored: StoredText): string {
  return (stored.codec === ZSTD ? zstdDecompressSync(stored.text) : stored.text).toString("utf8");
}
