import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

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
  const packed = zstdCompressSync(plain, { chunkSize: PACKED_PORTION, params: CHECKED });
  return packed.length < plain.length ? { codec: ZSTD, text: packed } : { codec: PLAIN, text: plain };
}

/**
 * With a checksum, 4 bytes: a text that the disk, a backup or the way to a client has damaged is
 * refused by whoever unpacks it.
 */
const CHECKED = { [constants.ZSTD_c_checksumFlag]: 1 };

/** @returns null for a text that was pruned */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED ? null : decodeText(stored);
}

/** For texts that are never pruned: live ones and those in review. */
export function decodeText(stored: StoredText): string {
  return (stored.codec === ZSTD ? unpack(stored.text) : stored.text).toString("utf8");
}

/** Node makes room for each portion of what comes out before it comes. */
const PACKED_PORTION = 2_048;
const LEAST_PORTION = 64;
const MOST_PORTION = 1024 * 1024;

function unpack(packed: Buffer): Buffer {
  const size = contentSize(packed);
  const chunkSize = Math.min(Math.max(size + 1, LEAST_PORTION), MOST_PORTION);
  return zstdDecompressSync(packed, size === 0 ? {} : { chunkSize });
}

/**
 * How long a frame of zstd says that its content is (RFC 8878, 3.1.1.1), for the room alone: a
 * wrong one costs time. @returns 0 where it says nothing, or more than 32 bits of it
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
