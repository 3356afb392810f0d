import { Worker } from "node:worker_threads";
import type { LinkBase, RenderedMarkdown } from "../../page/markdown.ts";
import type { ToRender } from "./markdown-worker.ts";

/**
 * Renders documents in a thread: whoever writes one could make it cost a second, in which nobody
 * else would be answered.
 */

/** LIMIT: milliseconds that a document may take; the slowest of usual ones takes 0.2 s. */
const DEADLINE_MS = 2_000;
/** LIMIT: documents that wait for the thread. */
const MOST_WAITING = 32;
/** How long a thread without work is kept. */
const IDLE_MS = 30_000;
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 } as const;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./markdown-worker.ts" : "./markdown-worker.js",
  import.meta.url,
);

/** @returns null: it takes too long, or too many wait; its text is there all the same */
export type Render = (text: string, base: LinkBase) => RenderedMarkdown | null | Promise<RenderedMarkdown | null>;

type Job = { readonly asked: ToRender; readonly settle: (rendered: RenderedMarkdown | null) => void };

export class Renderer {
  readonly #program: URL;
  readonly #deadlineMs: number;
  readonly #waiting: Job[] = [];
  #worker: Worker | null = null;
  #current: Job | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param program the file that the thread runs */
  constructor({
    program = PROGRAM,
    deadlineMs = DEADLINE_MS,
  }: { readonly program?: URL; readonly deadlineMs?: number } = {}) {
    this.#program = program;
    this.#deadlineMs = deadlineMs;
  }

  readonly render = (text: string, base: LinkBase): Promise<RenderedMarkdown | null> => {
    if (this.#waiting.length >= MOST_WAITING) return Promise.resolve(null);
    return new Promise((settle) => {
      this.#waiting.push({ asked: { text, base }, settle });
      this.#next();
    });
  };

  close(): void {
    for (const job of this.#waiting.splice(0)) job.settle(null);
    this.#end(null);
  }

  #next(): void {
    if (this.#current !== null) return;
    clearTimeout(this.#timer);
    const job = this.#waiting.shift();
    if (job === undefined) {
      this.#after(IDLE_MS, () => this.#end(null));
      return;
    }
    this.#current = job;
    this.#after(this.#deadlineMs, () => this.#giveUp());
    this.#worker ??= this.#start();
    this.#worker.postMessage(job.asked);
  }

  #start(): Worker {
    // The environment may hold a key, and what Node was told in its options is not for this thread.
    const worker = new Worker(this.#program, { env: {}, execArgv: [], name: "markdown", resourceLimits: LIMITS });
    worker.unref();
    worker.on("message", (rendered: RenderedMarkdown) => this.#settle(worker, rendered));
    // Out of memory, or a fault of the renderer: this document is shown as text.
    worker.on("error", () => {
      if (worker === this.#worker) this.#giveUp();
    });
    return worker;
  }

  #settle(worker: Worker, rendered: RenderedMarkdown): void {
    if (worker !== this.#worker) return;
    this.#current?.settle(rendered);
    this.#current = null;
    this.#next();
  }

  #giveUp(): void {
    this.#end(null);
    this.#next();
  }

  /** Ends the thread and what it was at. */
  #end(rendered: null): void {
    clearTimeout(this.#timer);
    const [job, worker] = [this.#current, this.#worker];
    this.#current = null;
    this.#worker = null;
    job?.settle(rendered);
    void worker?.terminate();
  }

  #after(ms: number, work: () => void): void {
    this.#timer = setTimeout(work, ms);
    this.#timer.unref();
  }
}
