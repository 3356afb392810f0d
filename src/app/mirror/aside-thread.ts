import type { Worker } from "node:worker_threads";
import type { Burst } from "../../local/land.ts";
import type { Ended, Task } from "./make-worker.ts";
import { startThread } from "./thread.ts";

/** How long a thread without work is kept, in milliseconds. */
const IDLE_MS = 5_000;
/** V8 lets garbage grow towards the second limit. */
const LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 } as const;
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./make-worker.ts" : "./make-worker.js", import.meta.url);

/** @param root absolute path of the mirrored folder */
export function makeThread(root: string): Worker {
  return startThread(PROGRAM, { name: "make", resourceLimits: LIMITS, workerData: root });
}

type Asked = {
  readonly resolve: (ended: Ended | null) => void;
  readonly reject: (error: Error) => void;
};
/**
 * `asked`: what it has not answered yet, in order. `numbers`: of the memory that it was given: it
 * is handed over once.
 */
type Thread = {
  readonly worker: Worker;
  readonly asked: Asked[];
  readonly numbers: Map<SharedArrayBuffer, number>;
  idle: NodeJS.Timeout | null;
};

/**
 * The one thread of a mirrored folder: makes files, packs texts; begun when it is first asked, if
 * not before.
 */
export class AsideThread {
  readonly #startWorker: () => Worker;
  #thread: Thread | null = null;
  /** No thread is made any more: it was closed, or one broke. */
  #ended = false;

  constructor(start: () => Worker) {
    this.#startWorker = start;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /**
   * @param memory holds the texts in its first half, and the packed ones in its second afterwards
   * @param ends where each text ends
   * @param burst the files to be made of them; null: they are only packed
   * @param zipped of texts that are packed already: see `Task`
   * @returns null when the thread ended before it answered: then nobody may write to the memory
   * again, in which that thread may still be writing. Rejects with what it threw
   */
  ask(
    memory: SharedArrayBuffer,
    ends: readonly number[],
    burst: Burst | null,
    zipped: readonly number[] | null = null,
  ): Promise<Ended | null> {
    if (this.#ended) return Promise.resolve(null);
    this.#thread ??= this.#start();
    const { worker, asked, numbers, idle } = this.#thread;
    if (idle !== null) clearTimeout(idle);
    this.#thread.idle = null;
    worker.ref();
    const known = numbers.get(memory);
    const slot = known ?? numbers.size;
    if (known === undefined) numbers.set(memory, slot);
    const task: Task = { burst, ends, zipped, slot, memory: known === undefined ? memory : null };
    return new Promise((resolve, reject) => {
      asked.push({ resolve, reject });
      worker.postMessage(task);
    });
  }

  /** Starts it, so that it has loaded its modules when it is first asked. */
  begin(): void {
    if (this.#ended || this.#thread !== null) return;
    this.#thread = this.#start();
    this.#rest(this.#thread);
  }

  close(): void {
    this.#ended = true;
    this.#end(null);
  }

  #start(): Thread {
    const worker = this.#startWorker();
    const made: Thread = { worker, asked: [], numbers: new Map(), idle: null };
    worker.on("message", (ended: Ended) => {
      made.asked.shift()?.resolve(ended);
      if (made.asked.length === 0) this.#rest(made);
    });
    worker.once("error", (error: Error & { code?: string }) =>
      this.#break(made, error.code === "ERR_WORKER_OUT_OF_MEMORY" ? null : error),
    );
    worker.once("exit", () => this.#break(made, null));
    return made;
  }

  /** Without work it keeps no process, and not for long itself. */
  #rest(thread: Thread): void {
    thread.worker.unref();
    thread.idle = setTimeout(() => this.#end(null), IDLE_MS).unref();
  }

  /** @param error what the work threw; null: the thread itself ended */
  #break(broken: Thread, error: Error | null): void {
    if (this.#thread !== broken) return;
    this.#ended = true;
    this.#end(error);
  }

  #end(error: Error | null): void {
    const ending = this.#thread;
    this.#thread = null;
    if (ending?.idle) clearTimeout(ending.idle);
    for (const { resolve, reject } of ending?.asked.splice(0) ?? []) {
      if (error !== null) reject(error);
      else resolve(null);
    }
    void ending?.worker.terminate();
  }
}
