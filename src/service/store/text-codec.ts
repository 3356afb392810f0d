import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Content as it is stored. Codec 0 is plain UTF-8, codec 1 is zstd, and codec 2 means that the
 * content was pruned.
 */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN = 0;
const ZSTD = 1;
export const PRUNED = 2;
/**
 * LIMIT: bytes below which content is stored without compression. Compressing short notes too would
 * take much time and save little space.
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN, text: plain };
  const packed = zstdCompressSync(plain, { params: CHECKED });
  return packed.length < plain.length ? { codec: ZSTD, text: packed } : { codec: PLAIN, text: plain };
}

/**
 * Option that adds a checksum of 4 bytes. So content that was damaged on the disk, in a backup or
 * on the network is noticed when it is decoded.
 */
const CHECKED = { [constants.ZSTD_c_checksumFlag]: 1 };

/** Decodes stored content; returns null if the content was pruned. */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED ? null : decodeText(stored);
}

/** Decodes content that is never pruned, because it is published or in review. */
export function decodeText(stored: StoredText): string {
  return decodeStored(stored).toString("utf8");
}

/** Returns stored content in UTF-8. The content must not have been pruned. */
export function decodeStored({ codec, text }: StoredText): Buffer {
  return codec === ZSTD ? zstdDecompressSync(text) : text;
}
