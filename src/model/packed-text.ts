import { isUtf8 } from "node:buffer";
import { CODEC, type PackedText } from "../contract/packed-text.ts";

// It takes some milliseconds to load, and a run that meets no text needs none of it.
const zlib = () => process.getBuiltinModule("node:zlib");

/**
 * The UTF-8 of a text that came from outside. Pure.
 * @returns null for what is damaged: it is not packed so, of another size, or not UTF-8. `size`
 * bounds what it can grow to
 */
export function unpackedBytes({ codec, size, bytes }: PackedText): Buffer | null {
  const plain = codec === CODEC.plain ? bytes : codec === CODEC.zstd ? unzipped(bytes, size) : null;
  return plain !== null && plain.length === size && isUtf8(plain) ? plain : null;
}

/** The text itself, likewise. */
export function unpackedText(packed: PackedText): string | null {
  return unpackedBytes(packed)?.toString("utf8") ?? null;
}

function unzipped(bytes: Buffer, size: number): Buffer | null {
  const { constants, zstdDecompressSync } = zlib();
  try {
    return zstdDecompressSync(bytes, {
      chunkSize: Math.max(size + 1, LEAST_CHUNK),
      maxOutputLength: Math.max(size, 1),
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    });
  } catch {
    // Its messages tell nothing that could be shown.
    return null;
  }
}

/** LIMIT: memory that a frame may ask for, as a power of two: 8 MB. */
const WINDOW_LOG = 23;

/** Of Node, for what comes out at a time. */
const LEAST_CHUNK = 64;
