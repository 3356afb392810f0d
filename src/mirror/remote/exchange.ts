import type { Dispatcher } from "undici";
import { EVENT_STREAM } from "../../contract/events.ts";
import type { StreamBounds, WireResult } from "../../common/wire.ts";
import { decodeBody } from "./body-text.ts";

type RequestController = Pick<Dispatcher.DispatchController, "abort">;

type StreamReceiver<Ended> = Pick<StreamBounds, "silenceMs" | "signal"> & {
  readonly onBytes: (bytes: Buffer) => void;
  readonly ended: (why: string) => Ended;
};

/**
 * One HTTP request with its answer, from the wait for a free connection to the last byte. Calls
 * `settle` once with the result. Passes a stream of events on while it arrives; collects the whole
 * body of any other answer first. The result `not-sent` is certain, and not guessed from error
 * codes. undici calls `onRequestStart` just before it writes the first byte. If the request is
 * aborted in that call, undici writes nothing. After that call, the service may have received the
 * request.
 */
export class HttpExchange<Ended = never> implements Dispatcher.DispatchHandler {
  readonly #settle: (end: WireResult | Ended) => void;
  readonly #maxBytes: number;
  readonly #streaming: StreamReceiver<Ended> | null;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = () => this.#giveUp("closed");
  #timer: NodeJS.Timeout;
  #controller: RequestController | null = null;
  #settled = false;
  #timedOut = false;
  #status = 0;
  #headers: Record<string, string> = {};
  /** Receiver of the stream; null until the headers show that the answer is a stream. */
  #stream: StreamReceiver<Ended> | null = null;
  #bytes = 0;

  /**
   * @param bounds milliseconds until the request is aborted, and largest number of bytes in the
   * answer
   * @param streaming receiver for a stream of events; null if every answer is read as a whole
   */
  constructor(
    bounds: { readonly deadlineMs: number; readonly maxBytes: number },
    settle: (end: WireResult | Ended) => void,
    streaming: StreamReceiver<Ended> | null = null,
  ) {
    this.#settle = settle;
    this.#maxBytes = bounds.maxBytes;
    this.#streaming = streaming;
    this.#timer = this.#giveUpAfter(bounds.deadlineMs, "deadline of");
    streaming?.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: RequestController): void {
    // ORDER: this check comes before undici sends the first byte. If the request was aborted while
    // it waited for a connection, it has already reported `not-sent`.
    if (this.#settled || this.#streaming?.signal.aborted === true)
      controller.abort(new Error("mdmirror cancelled the request before it sent it"));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: RequestController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = flattenHeaders(headers);
    // A stream has no deadline. It ends after a time without data.
    if (this.#streaming !== null && isEventStream(status, this.#headers)) this.#beginStream(this.#streaming);
    else if (Number(this.#headers["content-length"] ?? 0) > this.#maxBytes) this.#refuseSize();
  }

  onResponseData(_controller: RequestController, chunk: Buffer): void {
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

  onResponseError(_controller: RequestController | null, error: Error): void {
    this.#end(this.#failure(readErrorCode(error)));
  }

  #answer(): WireResult {
    const [status, headers] = [this.#status, this.#headers];
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const body = decodeBody(bytes, headers["content-encoding"] ?? null, this.#maxBytes);
    if (body.kind === "bad") return this.#unreadable(body.why);
    return { kind: "answer", response: { status, headers, body: body.text } };
  }

  /** An unreadable body matters only in a successful answer; for an error, the status is enough. */
  #unreadable(why: string): WireResult {
    const response = { status: this.#status, headers: this.#headers, body: "" };
    const isSuccess = this.#status >= 200 && this.#status < 300;
    return isSuccess ? { kind: "unreadable", response, why } : { kind: "answer", response };
  }

  #refuseSize(): void {
    this.#end(this.#unreadable("the answer is too large"));
    this.#controller?.abort(new Error("the answer is too large"));
  }

  #beginStream(stream: StreamReceiver<Ended>): void {
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
 * Returns false for a compressed stream, because compression delays events. mdmirror never asks for
 * compression.
 */
function isEventStream(status: number, headers: Readonly<Record<string, string>>): boolean {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return status === 200 && type === EVENT_STREAM && headers["content-encoding"] === undefined;
}

function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

/**
 * Returns the code of an error, never its message: messages of undici may contain parts of the
 * request (I30).
 */
function readErrorCode(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code)) return error.code;
  return /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : "failed";
}
