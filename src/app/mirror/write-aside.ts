import type { Worker } from "node:worker_threads";
import type { CreatedRows, RowWriter } from "../../ports/row-writer.ts";
import { startThread } from "./thread.ts";
import type { WriteTask, WrittenRows } from "./write-worker.ts";

/** The rows of one transaction are in it; V8 lets garbage grow towards the second limit. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 } as const;
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./write-worker.ts" : "./write-worker.js", import.meta.url);

/** Of fewer, SQLite takes less time than the thread, and the thread twenty megabytes. */
const WORTH_IT = 30_000;

/** @param folder absolute path of the mirror's own folder */
export function writeThread(folder: string): Worker {
  return startThread(PROGRAM, { name: "write", resourceLimits: LIMITS, workerData: folder });
}

type Thread = { readonly worker: Worker; readonly ended: Promise<void> };

/**
 * Writes rows in a thread with connections of its own: in a clone of 100,000 SQLite takes as long
 * as all the rest of the main thread. Texts are handed over in the memory that they are lent.
 */
export class WriteAside implements RowWriter {
  readonly worthIt: number;
  readonly #startWorker: () => Worker;
  #thread: Thread | null = null;
  /** No thread is begun any more. */
  #isClosed = false;
  /** Takes what the thread answers; false also when it ends. */
  #answer: ((isWritten: boolean) => void) | null = null;

  constructor(start: () => Worker, worthIt = WORTH_IT) {
    this.#startWorker = start;
    this.worthIt = worthIt;
  }

  async write(rows: readonly CreatedRows[]): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#thread ??= this.#start();
    const { worker } = this.#thread;
    worker.ref();
    const answered = new Promise<boolean>((resolve) => (this.#answer = resolve));
    worker.postMessage(taskOf(rows));
    return answered;
  }

  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    thread?.worker.ref();
    thread?.worker.postMessage(null);
    await thread?.ended;
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  #start(): Thread {
    const worker = this.#startWorker();
    const ended = Promise.withResolvers<void>();
    const thread = { worker, ended: ended.promise };
    worker.on("message", (isWritten: boolean) => {
      // Without work it keeps no process.
      worker.unref();
      this.#take(isWritten);
    });
    // Whoever asked writes by itself then, and meets what the thread met.
    worker.once("error", () => this.#take(false));
    worker.once("exit", () => {
      if (this.#thread === thread) this.#thread = null;
      this.#take(false);
      ended.resolve();
    });
    return thread;
  }

  #take(isWritten: boolean): void {
    this.#answer?.(isWritten);
    this.#answer = null;
  }
}

function taskOf(all: readonly CreatedRows[]): WriteTask {
  const pieces = new Map<SharedArrayBuffer, number>();
  const rows = all.map(({ link, event, text }): WrittenRows => {
    const memory = typeof text === "string" ? null : text.bytes.buffer;
    if (typeof text === "string" || !(memory instanceof SharedArrayBuffer)) return { link, event, text };
    const piece = pieces.get(memory) ?? pieces.size;
    pieces.set(memory, piece);
    const { codec, size, bytes } = text;
    return { link, event, text: { codec, size, piece, begin: bytes.byteOffset, length: bytes.length } };
  });
  return { rows, pieces: [...pieces.keys()] };
}
