/**
 * Renders documents in a thread. A document can be written so that it takes a second, during which
 * the main thread would answer nobody.
 */

import { Worker } from "node:worker_threads";
import { BoundedMap } from "../common/bounded-map.ts";
import type { LinkBase, MarkedLines, RenderedMarkdown } from "./markdown.ts";
import type { RenderMessage, RenderRequest } from "./markdown-worker.ts";

/** LIMIT: milliseconds for one document, ten times what a normal large document needs. */
const DEADLINE_MS = 2_000;
/** LIMIT: milliseconds in which the thread must be ready. */
const START_MS = 20_000;
/** LIMIT: documents that wait for the thread or are in it. */
const MAX_WAITING = 32;
/** LIMIT: rendered documents that are kept. */
const MAX_KEPT = 16;
/** Milliseconds that an idle thread is kept. */
const IDLE_MS = 30_000;
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 } as const;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./markdown-worker.ts" : "./markdown-worker.js",
  import.meta.url,
);

/**
 * Renders Markdown. Returns null if rendering takes too long, or too many documents wait: the
 * source is then shown.
 */
export type Render = (
  text: string,
  base: LinkBase,
  marked?: MarkedLines,
) => RenderedMarkdown | null | Promise<RenderedMarkdown | null>;

/** Calls `work` after some milliseconds. Returns a function that cancels the call. */
type Wait = (ms: number, work: () => void) => () => void;

const waitUnnoticed: Wait = (ms, work) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** Renders one document after the other, an unchanged one only once. */
export class Renderer {
  readonly #program: URL;
  readonly #wait: Wait;
  /** Rendered documents; the most recently used one is last. */
  readonly #kept = new BoundedMap<string, Promise<RenderedMarkdown | null>>(MAX_KEPT);
  #lastRendering: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #worker: Worker | null = null;
  #isClosed = false;
  #cancelIdle: () => void = () => undefined;

  /** @param options.program the module that the thread runs */
  constructor({ program = PROGRAM, wait = waitUnnoticed }: { readonly program?: URL; readonly wait?: Wait } = {}) {
    this.#program = program;
    this.#wait = wait;
  }

  readonly render: Render = (text, base, marked) => {
    const request = { text, base, marked: marked ?? null };
    const key = JSON.stringify(request);
    const rendered = this.#kept.get(key) ?? this.#enqueue(key, request);
    this.#kept.set(key, rendered);
    return rendered;
  };

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #enqueue(key: string, request: RenderRequest): Promise<RenderedMarkdown | null> {
    const isFull = this.#waiting >= MAX_WAITING;
    if (!isFull) this.#waiting++;
    const rendered = isFull ? Promise.resolve(null) : this.#lastRendering.then(() => this.#renderNext(request));
    if (!isFull) this.#lastRendering = rendered;
    // A document that took too long once may be rendered later.
    void rendered.then((content) => content === null && this.#kept.delete(key));
    return rendered;
  }

  async #renderNext(request: RenderRequest): Promise<RenderedMarkdown | null> {
    this.#cancelIdle();
    const rendered = this.#isClosed ? null : await this.#renderInThread(request);
    this.#waiting--;
    if (rendered === null) this.#end();
    else this.#cancelIdle = this.#wait(IDLE_MS, () => this.#end());
    return rendered;
  }

  async #renderInThread(request: RenderRequest): Promise<RenderedMarkdown | null> {
    if (this.#worker === null) {
      this.#worker = this.#start();
      if ((await this.#nextMessage(this.#worker, START_MS)) === null) return null;
    }
    this.#worker.postMessage(request);
    const message = await this.#nextMessage(this.#worker, DEADLINE_MS);
    return message === "ready" ? null : message;
  }

  /** Resolves with null if no message comes in time, or the thread ends. */
  #nextMessage(worker: Worker, ms: number): Promise<RenderMessage | null> {
    const { promise, resolve } = Promise.withResolvers<RenderMessage | null>();
    const onExit = () => resolve(null);
    worker.once("message", resolve).once("exit", onExit);
    const cancel = this.#wait(ms, onExit);
    return promise.finally(() => {
      cancel();
      worker.off("message", resolve).off("exit", onExit);
    });
  }

  #start(): Worker {
    // The environment may have a key, and Node's own options are not meant for this thread.
    const worker = new Worker(this.#program, { env: {}, execArgv: [], name: "markdown", resourceLimits: LIMITS });
    worker.unref();
    // Out of memory, or an error of the renderer: the thread ends, and the source is shown.
    worker.on("error", () => undefined);
    return worker;
  }

  /** Ends the thread; the document that it was rendering stays unrendered. */
  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
