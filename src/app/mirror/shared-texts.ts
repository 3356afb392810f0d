import type { NewFile } from "../../ports/disk.ts";
import type { PackedText } from "../../ports/state.ts";
import type { Packed } from "./make-worker.ts";

/** Bytes of a piece of memory, of which half are for texts: a burst of documents of usual size. */
const USUAL_BYTES = 512 * 1024;

/**
 * Memory in which texts are handed to a thread, and packed ones come back: one piece at a time for
 * some texts. It is used again, so that no garbage is left on either side, and the texts stay
 * readable however the thread ends.
 */
export class SharedTexts {
  readonly #free: SharedArrayBuffer[] = [];

  /** @param ends where each text's UTF-8 ends */
  put(files: readonly NewFile[], ends: readonly number[]): SharedArrayBuffer {
    const memory = this.take(ends.at(-1) ?? 0);
    const bytes = Buffer.from(memory);
    for (const [n, { text }] of files.entries()) bytes.write(text, ends[n - 1] ?? 0, "utf8");
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
  { codecs, lengths }: Packed,
): PackedText {
  const begin = ends[n - 1] ?? 0;
  const packed = Buffer.from(memory, memory.byteLength / 2 + begin, lengths[n]!);
  return { codec: codecs[n]!, size: ends[n]! - begin, bytes: Buffer.from(packed) };
}

/** The n-th text itself. */
export function plainText(memory: SharedArrayBuffer, ends: readonly number[], n: number): string {
  const begin = ends[n - 1] ?? 0;
  return Buffer.from(memory, begin, ends[n]! - begin).toString("utf8");
}
