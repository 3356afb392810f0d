import type { Worker } from "node:worker_threads";
import type { DiskFolding } from "../../model/path.ts";
import type { Made, MadeFile, NewFile } from "../../ports/disk.ts";
import { burstOf, endsOf, type MakesAside, unknownEnd } from "../../local/land.ts";
import type { Root } from "../../local/root-guard.ts";
import type { Ended, Task } from "./make-worker.ts";
import { packedText, plainText, SharedTexts, type Slot } from "./shared-texts.ts";
import { startThread } from "./thread.ts";

/**
 * From how many new files on a thread is worth it: it takes 50 ms of processor time and some
 * megabytes.
 */
const WORTH_IT = 256;
/** How long a thread without work is kept, in milliseconds. */
const IDLE_MS = 5_000;
/** V8 lets garbage grow towards the second limit. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 } as const;
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./make-worker.ts" : "./make-worker.js", import.meta.url);

/** `slot`: holds the texts; `ends`: where each ends in it. */
type Asked = {
  readonly slot: Slot;
  readonly ends: readonly number[];
  readonly resolve: (made: Made) => void;
  readonly reject: (error: Error) => void;
};
/** `asked`: the bursts that it has not answered yet, in order. */
type Thread = { readonly worker: Worker; readonly asked: Asked[]; idle: NodeJS.Timeout | null };

/** @param root absolute path of the mirrored folder */
export function makeThread(root: string): Worker {
  return startThread(PROGRAM, { name: "make", resourceLimits: LIMITS, workerData: root });
}

/**
 * Makes new files in a thread, and packs their texts there for the store. The system's `open` of a
 * new file takes 50 µs and more, packing as much: together more than all that the main thread has
 * to do for a document of a clone. A text is handed over once for both, in shared memory; so main
 * keeps no string of it, and V8 no garbage.
 */
export class MakeAside implements MakesAside {
  readonly #startWorker: () => Worker;
  readonly #worthIt: number;
  /** Of the thread: another one knows no slot. */
  #texts = new SharedTexts();
  #count = 0;
  #thread: Thread | null = null;
  /** No thread is made any more: it was closed, or one broke. */
  #ended = false;

  /** @param worthIt how many files must have been made before a thread is */
  constructor(start: () => Worker, worthIt = WORTH_IT) {
    this.#startWorker = start;
    this.#worthIt = worthIt;
  }

  /** Of a thread that ended, what became of the files is not known: they are stale. */
  create(root: Root | null, folding: DiskFolding, files: readonly NewFile[]): Promise<Made> | null {
    this.#count += files.length;
    if (root === null || this.#ended || this.#count < this.#worthIt) return null;
    const burst = burstOf(root, folding, files);
    if (burst === null) return null;
    this.#thread ??= this.#start();
    const { worker, asked, idle } = this.#thread;
    if (idle !== null) clearTimeout(idle);
    this.#thread.idle = null;
    worker.ref();
    const slot = this.#texts.put(files, burst.ends);
    const task: Task = { burst, slot: slot.number, memory: slot.isNew ? slot.memory : null };
    slot.isNew = false;
    return new Promise((resolve, reject) => {
      asked.push({ slot, ends: burst.ends, resolve, reject });
      worker.postMessage(task);
    });
  }

  close(): void {
    this.#ended = true;
    this.#end(null);
  }

  #start(): Thread {
    const worker = this.#startWorker();
    const made: Thread = { worker, asked: [], idle: null };
    worker.on("message", (ended: Ended) => {
      this.#answer(made.asked.shift(), ended);
      if (made.asked.length > 0) return;
      worker.unref();
      made.idle = setTimeout(() => this.#end(null), IDLE_MS).unref();
    });
    worker.once("error", (error: Error & { code?: string }) =>
      this.#break(made, error.code === "ERR_WORKER_OUT_OF_MEMORY" ? null : error),
    );
    worker.once("exit", () => this.#break(made, null));
    return made;
  }

  #answer(asked: Asked | undefined, { landed, codecs, lengths }: Ended): void {
    if (asked === undefined) return;
    const { slot, ends, resolve } = asked;
    const made = endsOf(landed).map((end, n): MadeFile => {
      return { end, text: packedText(slot, ends, n, codecs[n]!, lengths[n]!) };
    });
    this.#texts.giveBack(slot);
    resolve(made);
  }

  /** @param error what an effect threw; null: the thread itself ended */
  #break(broken: Thread, error: Error | null): void {
    if (this.#thread !== broken) return;
    this.#ended = true;
    this.#end(error);
  }

  #end(error: Error | null): void {
    const ending = this.#thread;
    this.#thread = null;
    if (ending?.idle) clearTimeout(ending.idle);
    this.#texts = new SharedTexts();
    for (const { slot, ends, resolve, reject } of ending?.asked.splice(0) ?? []) {
      if (error !== null) reject(error);
      else resolve(ends.map((_, n) => ({ end: unknownEnd(), text: plainText(slot, ends, n) })));
    }
    void ending?.worker.terminate();
  }
}
