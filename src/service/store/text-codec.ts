import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Stored content. Codec 0 is plain UTF-8, 1 is zstd, 2 means that the content was pruned. */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN = 0;
const ZSTD = 1;
export const PRUNED = 2;
/**
 * LIMIT: bytes below which a text stays plain: compressing short notes too would save little space
 * for many more compressions.
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN, text: plain };
  const packed = zstdCompressSync(plain, { params: CHECKED });
  return packed.length < plain.length ? { codec: ZSTD, text: packed } : { codec: PLAIN, text: plain };
}

/**
 * Adds a checksum of 4 bytes, so that content damaged on the disk, in a backup or on the network is
 * noticed when it is decoded.
 */
const CHECKED = { [constants.ZSTD_c_checksumFlag]: 1 };

/** LIMIT: bytes that a header of zstd has at most. */
export const LONGEST_HEADER = 18;

/** Facts about stored content: its bytes as stored, and the first `LONGEST_HEADER` of them. */
export type StoredSize = { readonly codec: number; readonly length: number; readonly head: Buffer };

/**
 * Returns the bytes of content that is not pruned, without decoding it: a list of documents would
 * decode all of them. zstd writes the size into the header of a frame (RFC 8878, section 3.1.1.1).
 */
export function sizeOfStored({ codec, length, head }: StoredSize): number {
  if (codec !== ZSTD) return length;
  const descriptor = head[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  switch (descriptor >> 6) {
    case 0:
      return head[at]!;
    case 1:
      return head.readUInt16LE(at) + 256;
    case 2:
      return head.readUInt32LE(at);
    default:
      return Number(head.readBigUInt64LE(at));
  }
}

/**
 * Decodes stored content.
 * @returns null if the content was pruned
 */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED ? null : decodeText(stored);
}

/** Decodes content that is never pruned, because it is published or in review. */
export function decodeText(stored: StoredText): string {
  return (stored.codec === ZSTD ? zstdDecompressSync(stored.text) : stored.text).toString("utf8");
}
