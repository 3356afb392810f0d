/**
 * Renders documents in a separate thread. A document can be written so that rendering takes a
 * second. In the main thread, no request would be answered during this second.
 */

import { Worker } from "node:worker_threads";
import { BoundedMap } from "../common/bounded-map.ts";
import type { LinkBase, MarkedLines, RenderedMarkdown } from "./markdown.ts";
import type { RenderMessage, RenderRequest } from "./markdown-worker.ts";

/**
 * LIMIT: milliseconds for rendering one document, so that other documents do not wait long. A large
 * document needs a tenth of this time.
 */
const MAX_RENDERING_MS = 2_000;
/** LIMIT: milliseconds for the start of the thread, so that a page does not wait forever. */
const MAX_START_MS = 20_000;
/**
 * LIMIT: number of documents that wait or are being rendered, because one thread renders one
 * document after the other. If more documents wait, a page shows the Markdown source of its
 * document.
 */
const MAX_WAITING = 32;
/** LIMIT: number of rendered documents that are kept, so that memory stays bounded. */
const MAX_KEPT_DOCUMENTS = 16;
/** Milliseconds without work after which the thread ends. */
const IDLE_MS = 30_000;
const MEMORY_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 } as const;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./markdown-worker.ts" : "./markdown-worker.js",
  import.meta.url,
);

/**
 * Renders Markdown. Returns null if rendering takes too long, or if too many documents wait. The
 * page then shows the Markdown source.
 */
export type MarkdownRenderer = (
  text: string,
  base: LinkBase,
  marked?: MarkedLines,
) => RenderedMarkdown | null | Promise<RenderedMarkdown | null>;

/** Calls `work` after a number of milliseconds. Returns a function that cancels the call. */
type DelayedCall = (ms: number, work: () => void) => () => void;

const callLater: DelayedCall = (ms, work) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** Renders documents, one at a time. Does not render an unchanged document again. */
export class Renderer {
  readonly #program: URL;
  readonly #wait: DelayedCall;
  /** Rendered documents by request. The document that was requested last is at the end. */
  readonly #kept = new BoundedMap<string, Promise<RenderedMarkdown | null>>(MAX_KEPT_DOCUMENTS);
  #lastRendering: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #worker: Worker | null = null;
  #isClosed = false;
  #cancelIdle: () => void = () => undefined;

  constructor({ program = PROGRAM, wait = callLater }: { readonly program?: URL; readonly wait?: DelayedCall } = {}) {
    this.#program = program;
    this.#wait = wait;
  }

  readonly render: MarkdownRenderer = (text, base, marked) => {
    const request = { text, base, marked: marked ?? null };
    const requestKey = JSON.stringify(request);
    const renderedPromise = this.#kept.get(requestKey) ?? this.#enqueue(requestKey, request);
    this.#kept.set(requestKey, renderedPromise);
    return renderedPromise;
  };

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #enqueue(key: string, request: RenderRequest): Promise<RenderedMarkdown | null> {
    const isFull = this.#waiting >= MAX_WAITING;
    if (!isFull) this.#waiting++;
    const renderedPromise = isFull ? Promise.resolve(null) : this.#lastRendering.then(() => this.#renderNext(request));
    if (!isFull) this.#lastRendering = renderedPromise;
    // A failed rendering is not kept, so that the next request renders the document again.
    void renderedPromise.then((content) => content === null && this.#kept.delete(key));
    return renderedPromise;
  }

  async #renderNext(request: RenderRequest): Promise<RenderedMarkdown | null> {
    this.#cancelIdle();
    const renderedContent = this.#isClosed ? null : await this.#renderInThread(request);
    this.#waiting--;
    if (renderedContent === null) this.#end();
    else this.#cancelIdle = this.#wait(IDLE_MS, () => this.#end());
    return renderedContent;
  }

  async #renderInThread(request: RenderRequest): Promise<RenderedMarkdown | null> {
    if (this.#worker === null) {
      this.#worker = this.#start();
      if ((await this.#nextMessage(this.#worker, MAX_START_MS)) === null) return null;
    }
    this.#worker.postMessage(request);
    const message = await this.#nextMessage(this.#worker, MAX_RENDERING_MS);
    return message === "ready" ? null : message;
  }

  /** Returns the next message of the thread; null if it ends or sends no message in time. */
  #nextMessage(worker: Worker, ms: number): Promise<RenderMessage | null> {
    const { promise, resolve } = Promise.withResolvers<RenderMessage | null>();
    const onExit = () => resolve(null);
    worker.once("message", resolve).once("exit", onExit);
    const cancelTimeout = this.#wait(ms, onExit);
    return promise.finally(() => {
      cancelTimeout();
      worker.off("message", resolve).off("exit", onExit);
    });
  }

  #start(): Worker {
    // The thread gets no environment, which may contain a key, and no options of the main thread.
    const worker = new Worker(this.#program, {
      env: {},
      execArgv: [],
      name: "markdown",
      resourceLimits: MEMORY_LIMITS,
    });
    worker.unref();
    // An error in the thread, such as too little memory, also ends the thread. The result for the
    // current document is then null.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }

  /** Ends the thread. The result of a document that it is rendering becomes null. */
  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
