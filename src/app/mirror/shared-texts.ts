import type { NewFile } from "../../ports/disk.ts";
import type { PackedText } from "../../ports/state.ts";

/** Bytes of a slot, of which half are for texts: of a burst of documents of usual size. */
const USUAL_BYTES = 512 * 1024;

/** Memory that two threads have, for the texts of one burst at a time. */
export type Slot = { readonly number: number; readonly memory: SharedArrayBuffer; isNew: boolean };

/**
 * Memory in which texts are handed to a thread, and packed ones come back. It is used again, so
 * that no garbage is left on either side, and the texts stay readable however the thread ends.
 */
export class SharedTexts {
  readonly #free: Slot[] = [];
  #made = 0;

  /** @param ends where each text's UTF-8 ends */
  put(files: readonly NewFile[], ends: readonly number[]): Slot {
    const slot = this.#take(2 * (ends.at(-1) ?? 0));
    const bytes = Buffer.from(slot.memory);
    for (const [n, { text }] of files.entries()) bytes.write(text, ends[n - 1] ?? 0, "utf8");
    return slot;
  }

  giveBack(slot: Slot): void {
    this.#free.push(slot);
  }

  #take(size: number): Slot {
    const at = this.#free.findIndex(({ memory }) => memory.byteLength >= size);
    const [found] = at === -1 ? [] : this.#free.splice(at, 1);
    if (found !== undefined) return found;
    return { number: this.#made++, memory: new SharedArrayBuffer(Math.max(size, USUAL_BYTES)), isNew: true };
  }
}

/** A copy of the n-th text, as it was packed. */
export function packedText(slot: Slot, ends: readonly number[], n: number, codec: number, length: number): PackedText {
  const begin = ends[n - 1] ?? 0;
  const packed = Buffer.from(slot.memory, slot.memory.byteLength / 2 + begin, length);
  return { codec, size: ends[n]! - begin, bytes: Buffer.from(packed) };
}

/** The n-th text itself. */
export function plainText({ memory }: Slot, ends: readonly number[], n: number): string {
  const begin = ends[n - 1] ?? 0;
  return Buffer.from(memory, begin, ends[n]! - begin).toString("utf8");
}
