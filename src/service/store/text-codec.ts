import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Stored content. `codec` 0: plain UTF-8; 1: zstd; 2: the content was pruned. */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN_CODEC = 0;
const ZSTD_CODEC = 1;
export const PRUNED_CODEC = 2;
/**
 * LIMIT: content of fewer bytes is not compressed, because that would save little space.
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plainBytes = Buffer.from(text, "utf8");
  if (plainBytes.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN_CODEC, text: plainBytes };
  const packedBytes = zstdCompressSync(plainBytes, { params: CHECKSUM_OPTION });
  return packedBytes.length < plainBytes.length
    ? { codec: ZSTD_CODEC, text: packedBytes }
    : { codec: PLAIN_CODEC, text: plainBytes };
}

/** Adds a checksum of 4 bytes. With the checksum, decoding fails for damaged content. */
const CHECKSUM_OPTION = { [constants.ZSTD_c_checksumFlag]: 1 };

/** Decodes stored content; returns null if the content was pruned. */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED_CODEC ? null : decodeText(stored);
}

/** Decodes content that is never pruned, because it is published or in review. */
export function decodeText(stored: StoredText): string {
  return decodeStored(stored).toString("utf8");
}

/** Returns stored content as UTF-8 bytes. Only for content that was not pruned. */
export function decodeStored({ codec, text }: StoredText): Buffer {
  return codec === ZSTD_CODEC ? zstdDecompressSync(text) : text;
}
