import { CODEC, type PackedText } from "../../contract/packed-text.ts";
import type { Lent } from "../../ports/disk.ts";
import type { Packed } from "./make-worker.ts";

/** Bytes; pieces are whole multiples of it, so that each fits most bursts. */
const UNIT = 64 * 1024;

/**
 * Copies of packed texts that wait to be stored, a burst in a piece of memory. They wait for so
 * long that V8 would take them for old, and keep megabytes of them until it collects those; so a
 * piece is used again as soon as all of its texts were given back.
 */
export class LentTexts {
  readonly #free: Buffer[] = [];

  /** @param memory with the packed texts in its second half, as `SharedTexts` has them */
  copy(
    memory: SharedArrayBuffer,
    ends: readonly number[],
    { codecs, lengths }: Packed,
  ): { readonly texts: readonly PackedText[]; readonly lent: Lent } {
    const piece = this.#take(lengths.reduce((sum, length) => sum + length, 0));
    const all = Buffer.from(memory, memory.byteLength / 2);
    let at = 0;
    const texts = lengths.map((length, n) => {
      const begin = ends[n - 1] ?? 0;
      const bytes = piece.subarray(at, at + length);
      all.copy(bytes, 0, begin, begin + length);
      at += length;
      return { codec: codecs[n] ?? CODEC.plain, size: ends[n]! - begin, bytes };
    });
    return { texts, lent: new Piece(piece, texts.length, this.#free) };
  }

  #take(size: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= size);
    const [found] = at === -1 ? [] : this.#free.splice(at, 1);
    // Shared, so that another thread can write them to the store.
    return found ?? Buffer.from(new SharedArrayBuffer(Math.max(1, Math.ceil(size / UNIT)) * UNIT));
  }
}

/** Given back once for each of its texts. */
class Piece implements Lent {
  readonly #piece: Buffer;
  readonly #free: Buffer[];
  #left: number;

  constructor(piece: Buffer, count: number, free: Buffer[]) {
    this.#piece = piece;
    this.#left = count;
    this.#free = free;
  }

  giveBack(): void {
    if (--this.#left === 0) this.#free.push(this.#piece);
  }
}
