import type { Worker } from "node:worker_threads";
import type { DiskFolding } from "../model/path.ts";
import type { Made, NewFile } from "../ports/disk.ts";
import { stale } from "./errno.ts";
import type { Burst } from "./land-worker.ts";
import type { Root } from "./root-guard.ts";

/**
 * From how many new files on a thread is worth it: it takes 50 ms of processor time and some
 * megabytes.
 */
const WORTH_IT = 256;
/** How long a thread without work is kept, in milliseconds. */
const IDLE_MS = 5_000;

type Asked = {
  readonly count: number;
  readonly resolve: (ends: Made) => void;
  readonly reject: (error: Error) => void;
};
/** `asked`: the bursts that it has not answered yet, in order. */
type Thread = { readonly worker: Worker; readonly asked: Asked[]; idle: NodeJS.Timeout | null };

/** What the thread runs. Its data is the absolute path of the mirrored folder. */
export const LANDING = {
  program: new URL(import.meta.url.endsWith(".ts") ? "./land-worker.ts" : "./land-worker.js", import.meta.url),
  resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 },
} as const;

/**
 * Makes new files in a thread. The system's `open` of a new file takes 50 µs and more, nearly half
 * of what the main thread would have to do for each document of a clone.
 */
export class LandAside {
  readonly #makeThread: () => Worker;
  readonly #worthIt: number;
  #count = 0;
  #thread: Thread | null = null;
  /** No thread is made any more: it was closed, or one broke. */
  #ended = false;

  /** @param worthIt how many files must have been made before a thread is */
  constructor(makeThread: () => Worker, worthIt = WORTH_IT) {
    this.#makeThread = makeThread;
    this.#worthIt = worthIt;
  }

  /**
   * @param root the mirrored folder as it is now; null: it is not there
   * @returns null where they are to be made here. Of a thread that ended, what became of the files
   * is not known: they are stale, and the next look tells.
   */
  create(root: Root | null, folding: DiskFolding, files: readonly NewFile[]): Promise<Made> | null {
    this.#count += files.length;
    if (root === null || this.#ended || this.#count < this.#worthIt) return null;
    const burst: Burst = { dev: root.stat.dev, ino: root.stat.ino, folding, files };
    this.#thread ??= this.#start();
    const { worker, asked, idle } = this.#thread;
    if (idle !== null) clearTimeout(idle);
    this.#thread.idle = null;
    worker.ref();
    return new Promise((resolve, reject) => {
      asked.push({ count: files.length, resolve, reject });
      worker.postMessage(burst);
    });
  }

  close(): void {
    this.#ended = true;
    this.#end(null);
  }

  #start(): Thread {
    const worker = this.#makeThread();
    const made: Thread = { worker, asked: [], idle: null };
    worker.on("message", (ends: Made) => {
      made.asked.shift()?.resolve(ends);
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
    for (const { count, resolve, reject } of ending?.asked.splice(0) ?? []) {
      if (error === null) resolve(new Array(count).fill(stale("the thread that made it has ended")));
      else reject(error);
    }
    void ending?.worker.terminate();
  }
}
