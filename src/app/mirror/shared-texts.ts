import { CODEC, type PackedText } from "../../contract/packed-text.ts";
import type { NewFile } from "../../ports/disk.ts";

/** Bytes of a piece of memory, of which half are for texts: a burst of documents of usual size. */
const USUAL_BYTES = 256 * 1024;

/**
 * Memory in which texts are handed to a thread, and packed ones come back: one piece at a time for
 * some texts. It is used again, so that no garbage is left on either side, and the texts stay
 * readable however the thread ends.
 */
export class SharedTexts {
  readonly #free: SharedArrayBuffer[] = [];

  /**
   * What came packed goes into the second half, at the place that its UTF-8 has in the first.
   * @param ends where each text's UTF-8 ends
   */
  put(files: readonly NewFile[], ends: readonly number[]): SharedArrayBuffer {
    const memory = this.take(ends.at(-1) ?? 0);
    const bytes = Buffer.from(memory);
    for (const [n, { text }] of files.entries()) {
      const begin = ends[n - 1] ?? 0;
      if (typeof text === "string") bytes.write(text, begin, "utf8");
      else bytes.set(text.bytes, isZipped(text) ? memory.byteLength / 2 + begin : begin);
    }
    return memory;
  }

  /** @param size bytes of the texts, or of as many of them as usually go together */
  take(size = 0): SharedArrayBuffer {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= 2 * size);
    const [found] = at === -1 ? [] : this.#free.splice(at, 1);
    // In whole multiples: else each burst that is a little larger than all before it would need a
    // piece of its own.
    return found ?? new SharedArrayBuffer(Math.max(1, Math.ceil((2 * size) / USUAL_BYTES)) * USUAL_BYTES);
  }

  giveBack(memory: SharedArrayBuffer): void {
    this.#free.push(memory);
  }
}

/** A copy of the n-th text, as it was packed. */
export function packedText(
  memory: SharedArrayBuffer,
  ends: readonly number[],
  n: number,
  codec: number,
  length: number,
): PackedText {
  const begin = ends[n - 1] ?? 0;
  const packed = Buffer.from(memory, memory.byteLength / 2 + begin, length);
  return { codec, size: ends[n]! - begin, bytes: Buffer.from(packed) };
}

/** The n-th text itself. */
export function plainText(memory: SharedArrayBuffer, ends: readonly number[], n: number): string {
  const begin = ends[n - 1] ?? 0;
  return Buffer.from(memory, begin, ends[n]! - begin).toString("utf8");
}

function isZipped(text: NewFile["text"]): text is PackedText {
  return typeof text !== "string" && text.codec === CODEC.zstd;
}

/** How many bytes of each came zipped; 0: it came as UTF-8. null: all did. */
export function zippedOf(files: readonly NewFile[]): readonly number[] | null {
  if (!files.some(({ text }) => isZipped(text))) return null;
  return files.map(({ text }) => (isZipped(text) ? text.bytes.length : 0));
}

/** A copy of the n-th text as it came. */
export function givenText(
  memory: SharedArrayBuffer,
  ends: readonly number[],
  n: number,
  zipped: readonly number[] | null,
): string | PackedText {
  const length = zipped?.[n] ?? 0;
  return length === 0 ? plainText(memory, ends, n) : packedText(memory, ends, n, CODEC.zstd, length);
}
