import type { Dispatcher } from "undici";
import { EVENT_STREAM } from "../../contract/events.ts";
import type { StreamBounds, WireResult } from "../../common/wire.ts";
import { decodeBody } from "./body-text.ts";

/** Part of undici's controller that can abort a request. */
type Controller = Pick<Dispatcher.DispatchController, "abort">;

/** Receiver of an answer that is a stream of events. */
type Streaming<Ended> = Pick<StreamBounds, "silenceMs" | "signal"> & {
  readonly onBytes: (bytes: Buffer) => void;
  /** Returns the result for a stream that had begun and has ended. */
  readonly ended: (why: string) => Ended;
};

/**
 * One HTTP request with its answer, from its place in the pool's queue to the last byte. Settles
 * exactly once. `not-sent` is not guessed from error codes: `onRequestStart` is called right before
 * the first byte is written to a socket. If the request is aborted in this call, nothing is
 * written. Before that call nothing was sent; after it everything may have been sent. The bytes of
 * a stream of events are passed on as they arrive; any other answer is reported as a whole.
 */
export class Exchange<Ended = never> implements Dispatcher.DispatchHandler {
  readonly #settle: (end: WireResult | Ended) => void;
  readonly #maxBytes: number;
  readonly #streaming: Streaming<Ended> | null;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = () => this.#giveUp("closed");
  #timer: NodeJS.Timeout;
  #controller: Controller | null = null;
  #settled = false;
  #timedOut = false;
  #status = 0;
  #headers: Record<string, string> = {};
  /** Receiver of the events; null unless the answer is a stream. */
  #stream: Streaming<Ended> | null = null;
  #bytes = 0;

  /**
   * Creates a request.
   * @param streaming receiver of a stream of events; null: any answer is read as a whole
   */
  constructor(
    bounds: { readonly deadlineMs: number; readonly maxBytes: number },
    settle: (end: WireResult | Ended) => void,
    streaming: Streaming<Ended> | null = null,
  ) {
    this.#settle = settle;
    this.#maxBytes = bounds.maxBytes;
    this.#streaming = streaming;
    this.#timer = this.#giveUpAfter(bounds.deadlineMs, "deadline of");
    streaming?.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Controller): void {
    // ORDER: checked before anything is sent, because a request that was aborted in the queue has
    // already reported `not-sent`.
    if (this.#settled || this.#streaming?.signal.aborted === true)
      controller.abort(new Error("mdmirror cancelled the request before it sent it"));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = flatten(headers);
    // If the answer is not a stream, the deadline covers it to its last byte.
    if (this.#streaming !== null && isEventStream(status, this.#headers)) this.#beginStream(this.#streaming);
    else if (Number(this.#headers["content-length"] ?? 0) > this.#maxBytes) this.#refuseSize();
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#stream !== null) {
      this.#beginStream(this.#stream);
      this.#stream.onBytes(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#refuseSize();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(this.#stream?.ended("the service ended it") ?? this.#answer());
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.#end(this.#failure(codeOf(error)));
  }

  #answer(): WireResult {
    const [status, headers] = [this.#status, this.#headers];
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const body = decodeBody(bytes, headers["content-encoding"] ?? null, this.#maxBytes);
    if (body.kind === "bad") return this.#unreadable(body.why);
    return { kind: "answer", response: { status, headers, body: body.text } };
  }

  /**
   * Returns an answer without its body. Only a success needs its body; any other status says enough
   * without it.
   */
  #unreadable(why: string): WireResult {
    const response = { status: this.#status, headers: this.#headers, body: "" };
    const isSuccess = this.#status >= 200 && this.#status < 300;
    return isSuccess ? { kind: "unreadable", response, why } : { kind: "answer", response };
  }

  #refuseSize(): void {
    this.#end(this.#unreadable("the answer is too large"));
    this.#controller?.abort(new Error("the answer is too large"));
  }

  #beginStream(stream: Streaming<Ended>): void {
    this.#stream = stream;
    clearTimeout(this.#timer);
    this.#timer = this.#giveUpAfter(stream.silenceMs, "silent for");
  }

  #giveUpAfter(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timedOut = true;
      this.#giveUp(`${what} ${ms} ms`);
    }, ms);
  }

  #giveUp(why: string): void {
    const controller = this.#controller;
    this.#end(this.#failure(why));
    controller?.abort(new Error(why));
  }

  #failure(why: string): WireResult | Ended {
    if (this.#stream !== null) return this.#stream.ended(why);
    const kind = this.#controller === null ? "not-sent" : "lost";
    return this.#timedOut ? { kind, why, timedOut: true } : { kind, why };
  }

  #end(end: WireResult | Ended): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#streaming?.signal.removeEventListener("abort", this.#onAbort);
    this.#chunks.length = 0;
    this.#settle(end);
  }
}

/**
 * Returns true if the answer is a stream of events. An encoded stream does not count: mdmirror does
 * not ask for encoding, because compression would delay the events.
 */
function isEventStream(status: number, headers: Readonly<Record<string, string>>): boolean {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return status === 200 && type === EVENT_STREAM && headers["content-encoding"] === undefined;
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

/**
 * Returns only the error's code: messages and other members of undici's errors may repeat what was
 * sent (I30).
 */
function codeOf(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code)) return error.code;
  return /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : "failed";
}
