import type { TextPacker } from "../../ports/text-packer.ts";
import type { AsideThread } from "./aside-thread.ts";
import type { Ended } from "./make-worker.ts";
import { packedText, plainText, SharedTexts } from "./shared-texts.ts";

/** From how many texts on a thread is worth it, as in `make-aside.ts`. */
const WORTH_IT = 512;
/** Of the texts of a batch. */
const BATCH_BYTES = 256 * 1024;
/**
 * LIMIT: how many batches the thread has at most. While it has as many, whoever asks packs too, so
 * that neither waits for the other.
 */
const MOST_UNDER_WAY = 8;

type Done = Parameters<TextPacker["put"]>[1];

/** Some texts in shared memory, on their way to the thread. */
type Batch = { readonly memory: SharedArrayBuffer; readonly ends: number[]; readonly done: Done[] };

/** Packs texts in a thread, while the main thread reads others. */
export class PackAside implements TextPacker {
  readonly #thread: AsideThread;
  readonly #worthIt: number;
  readonly #texts = new SharedTexts();
  readonly #underWay = new Set<Promise<void>>();
  /** What the thread threw, for `end`: the texts come first (I03). */
  readonly #broken: unknown[] = [];
  #count = 0;
  #batch: Batch | null = null;
  /** The thread has answered once: until then it loads its modules, and gets one batch alone. */
  #isReady = false;

  /** @param worthIt how many texts must have been offered before a thread is made */
  constructor(thread: AsideThread, worthIt = WORTH_IT) {
    this.#thread = thread;
    this.#worthIt = worthIt;
  }

  put(text: string, done: Done): boolean {
    if (++this.#count < this.#worthIt || this.#thread.hasEnded) return false;
    const size = Buffer.byteLength(text);
    if (this.#batch !== null && !hasRoom(this.#batch, size)) this.#send(this.#batch);
    this.#batch ??= this.#begin();
    if (this.#batch === null || !hasRoom(this.#batch, size)) return false;
    const { memory, ends, done: waiting } = this.#batch;
    const at = ends.at(-1) ?? 0;
    Buffer.from(memory, at, size).write(text, "utf8");
    ends.push(at + size);
    waiting.push(done);
    return true;
  }

  async end(): Promise<void> {
    if (this.#batch !== null) this.#send(this.#batch);
    await Promise.all(this.#underWay);
    const [broken] = this.#broken.splice(0);
    if (broken !== undefined) throw broken;
  }

  #begin(): Batch | null {
    if (this.#underWay.size >= (this.#isReady ? MOST_UNDER_WAY : 1)) return null;
    return { memory: this.#texts.take(BATCH_BYTES), ends: [], done: [] };
  }

  #send(batch: Batch): void {
    this.#batch = null;
    const sent = this.#pack(batch).finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  async #pack({ memory, ends, done }: Batch): Promise<void> {
    const answer = await this.#ask(memory, ends);
    for (const [n, take] of done.entries()) {
      if (answer === null) take(plainText(memory, ends, n));
      else take(packedText(memory, ends, n, answer.packed.codecs[n]!, answer.packed.lengths[n]!));
    }
    if (answer === null) return;
    this.#isReady = true;
    this.#texts.giveBack(memory);
  }

  /** @returns null where the texts come back as they are: the thread ended, or threw */
  async #ask(memory: SharedArrayBuffer, ends: readonly number[]): Promise<Ended | null> {
    try {
      return await this.#thread.ask(memory, ends, null);
    } catch (error) {
      this.#broken.push(error);
      return null;
    }
  }
}

function hasRoom({ memory, ends }: Batch, size: number): boolean {
  return (ends.at(-1) ?? 0) + size <= memory.byteLength / 2;
}
