import type { Dispatcher } from "undici";
import { EVENT_STREAM } from "../../contract/events.ts";
import type { WireResponse } from "../../contract/wire.ts";
import type { StreamBounds, StreamEnd } from "../../common/wire.ts";
import { decodeBody } from "./body-text.ts";
import { codeOf, flatten } from "./exchange.ts";

/**
 * One exchange whose answer may be a stream of events: its bytes are passed on as they arrive. Any
 * other answer is reported as a whole. Settles exactly once.
 */
export class StreamExchange implements Dispatcher.DispatchHandler {
  readonly #settle: (end: StreamEnd) => void;
  readonly #bounds: StreamBounds;
  readonly #onBytes: (bytes: Buffer) => void;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = () => this.#giveUp("closed");
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #isStream = false;
  #bytes = 0;

  constructor(bounds: StreamBounds, onBytes: (bytes: Buffer) => void, settle: (end: StreamEnd) => void) {
    this.#bounds = bounds;
    this.#onBytes = onBytes;
    this.#settle = settle;
    this.#timer = this.#giveUpAfter(bounds.deadlineMs, "deadline of");
    bounds.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled || this.#bounds.signal.aborted)
      controller.abort(new Error("mdmirror cancelled the request before it sent it"));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = flatten(headers);
    this.#isStream = isEventStream(status, this.#headers);
    // The deadline of an answer that is no stream continues: it ends with the answer's last byte.
    if (this.#isStream) this.#heard();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#isStream) {
      this.#heard();
      this.#onBytes(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bounds.maxBytes) this.#giveUp("the answer is too large");
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(this.#isStream ? { kind: "ended", why: "the service ended it" } : this.#wholeAnswer());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#failure(codeOf(error)));
  }

  #wholeAnswer(): StreamEnd {
    const encoding = this.#headers["content-encoding"] ?? null;
    const body = decodeBody(Buffer.concat(this.#chunks), encoding, this.#bounds.maxBytes);
    if (body.kind === "bad") return { kind: "lost", why: body.why };
    const response: WireResponse = { status: this.#status, headers: this.#headers, body: body.text };
    return { kind: "answer", response };
  }

  #heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#giveUpAfter(this.#bounds.silenceMs, "silent for");
  }

  #giveUpAfter(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.#giveUp(`${what} ${ms} ms`), ms);
  }

  #giveUp(why: string): void {
    const controller = this.#controller;
    this.#end(this.#failure(why));
    controller?.abort(new Error(why));
  }

  #failure(why: string): StreamEnd {
    if (this.#isStream) return { kind: "ended", why };
    return { kind: this.#controller === null ? "not-sent" : "lost", why };
  }

  #end(end: StreamEnd): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#bounds.signal.removeEventListener("abort", this.#onAbort);
    this.#chunks.length = 0;
    this.#settle(end);
  }
}

/** An encoded stream was not requested: a compressor would delay it. */
function isEventStream(status: number, headers: Readonly<Record<string, string>>): boolean {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return status === 200 && type === EVENT_STREAM && headers["content-encoding"] === undefined;
}
