import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** A stored text. Codec 0 is plain UTF-8, 1 is zstd, 2 is a pruned text. */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN = 0;
const ZSTD = 1;
export const PRUNED = 2;
/**
 * LIMIT: bytes below which a text stays plain. Compressing short notes too would save a third of
 * their space, but needs seven times as many compressions, 20 to 50 µs each.
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, "utf8");
  if (plain.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN, text: plain };
  const packed = zstdCompressSync(plain, { chunkSize: PACKED_PORTION, params: CHECKED });
  return packed.length < plain.length ? { codec: ZSTD, text: packed } : { codec: PLAIN, text: plain };
}

/**
 * Adds a checksum of 4 bytes: a text that was damaged on the disk, in a backup or on the network
 * cannot be unpacked.
 */
const CHECKED = { [constants.ZSTD_c_checksumFlag]: 1 };

/** @returns null for a pruned text */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED ? null : decodeText(stored);
}

/** Decodes a text that is never pruned: a live one, or one in review. */
export function decodeText(stored: StoredText): string {
  return (stored.codec === ZSTD ? unpack(stored.text) : stored.text).toString("utf8");
}

/** Node allocates each portion of the output in advance. */
const PACKED_PORTION = 2_048;
const LEAST_PORTION = 64;
const MOST_PORTION = 1024 * 1024;

function unpack(packed: Buffer): Buffer {
  const size = contentSize(packed);
  const chunkSize = Math.min(Math.max(size + 1, LEAST_PORTION), MOST_PORTION);
  return zstdDecompressSync(packed, size === 0 ? {} : { chunkSize });
}

/**
 * Reads the content size from a zstd frame (RFC 8878, 3.1.1.1), only to allocate memory: a wrong
 * size costs time.
 * @returns 0 if the frame has none, or one over 32 bits
 */
function contentSize(frame: Buffer): number {
  if (frame.length < 14) return 0;
  const descriptor = frame[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  switch (descriptor >> 6) {
    case 1:
      return frame.readUInt16LE(at) + 256;
    case 2:
      return frame.readUInt32LE(at);
    default:
      return descriptor < 0x40 && isSingleSegment ? frame[at]! : 0;
  }
}
