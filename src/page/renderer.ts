import { Worker } from "node:worker_threads";
import type { LinkBase, RenderedMarkdown } from "./markdown.ts";
import type { RenderMessage, RenderRequest } from "./markdown-worker.ts";

/**
 * Renders documents in a thread. A document can be written so that it takes a second, during which
 * the main thread would answer nobody.
 */

/** LIMIT: milliseconds for one document. The slowest usual one takes 200. */
const DEADLINE_MS = 2_000;
/** LIMIT: milliseconds in which the thread must be ready. */
const START_MS = 20_000;
/** LIMIT: documents waiting for the thread. */
const MOST_WAITING = 32;
/** Milliseconds that an idle thread is kept. */
const IDLE_MS = 30_000;
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 } as const;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./markdown-worker.ts" : "./markdown-worker.js",
  import.meta.url,
);

/** Returns null if it takes too long, or too many documents wait; then the source is shown. */
export type Render = (text: string, base: LinkBase) => RenderedMarkdown | null | Promise<RenderedMarkdown | null>;

type Job = { readonly asked: RenderRequest; readonly settle: (rendered: RenderedMarkdown | null) => void };

/** Calls back after some milliseconds. Returns a function that cancels it. */
type Wait = (ms: number, work: () => void) => () => void;

const waitUnnoticed: Wait = (ms, work) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

export class Renderer {
  readonly #program: URL;
  readonly #wait: Wait;
  readonly #waiting: Job[] = [];
  #worker: Worker | null = null;
  #current: Job | null = null;
  #isReady = false;
  #cancel: () => void = () => undefined;

  /** @param options.program the module that the thread runs */
  constructor({ program = PROGRAM, wait = waitUnnoticed }: { readonly program?: URL; readonly wait?: Wait } = {}) {
    this.#program = program;
    this.#wait = wait;
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
    this.#end();
  }

  #next(): void {
    if (this.#current !== null) return;
    const job = this.#waiting.shift();
    if (job === undefined) {
      this.#after(IDLE_MS, () => this.#end());
      return;
    }
    this.#current = job;
    if (this.#worker !== null && this.#isReady) this.#send(this.#worker, job);
    else {
      this.#after(START_MS, () => this.#giveUp());
      this.#worker ??= this.#start();
    }
  }

  #send(worker: Worker, { asked }: Job): void {
    this.#after(DEADLINE_MS, () => this.#giveUp());
    worker.postMessage(asked);
  }

  #start(): Worker {
    // The environment may have a key, and Node's own options are not meant for this thread.
    const worker = new Worker(this.#program, { env: {}, execArgv: [], name: "markdown", resourceLimits: LIMITS });
    worker.unref();
    worker.on("message", (said: RenderMessage) => this.#hear(worker, said));
    // Out of memory, or an error of the renderer. This document is shown as source.
    worker.on("error", () => {
      if (worker === this.#worker) this.#giveUp();
    });
    return worker;
  }

  #hear(worker: Worker, said: RenderMessage): void {
    const job = this.#current;
    if (worker !== this.#worker || job === null) return;
    if (said === "ready") {
      this.#isReady = true;
      this.#send(worker, job);
      return;
    }
    this.#current = null;
    job.settle(said);
    this.#next();
  }

  #giveUp(): void {
    this.#end();
    this.#next();
  }

  /** Ends the thread; its present document stays unrendered. */
  #end(): void {
    this.#cancel();
    const [job, worker] = [this.#current, this.#worker];
    this.#current = null;
    this.#worker = null;
    this.#isReady = false;
    job?.settle(null);
    void worker?.terminate();
  }

  /** Replaces the one timer. */
  #after(ms: number, work: () => void): void {
    this.#cancel();
    this.#cancel = this.#wait(ms, work);
  }
}
