import type { Dispatcher } from "undici";
import type { WireResult } from "../../common/wire.ts";
import { decodeBody } from "./body-text.ts";

/** The part of a dispatch that can end an exchange. */
type Controller = Pick<Dispatcher.DispatchController, "abort">;

/**
 * One HTTP exchange, from its place in the pool's queue to the last byte of the answer. Settles
 * exactly once. `not-sent` is not guessed from error codes: `onRequestStart` is called right before
 * the first byte is written to a socket, and nothing is written if the exchange is aborted there.
 * Before that call nothing was sent; after it everything may have been.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: WireResult) => void;
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Controller | null = null;
  #settled = false;
  #timedOut = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #bytes = 0;

  constructor(
    bounds: { readonly deadlineMs: number; readonly maxBytes: number },
    settle: (result: WireResult) => void,
  ) {
    this.#settle = settle;
    this.#maxBytes = bounds.maxBytes;
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#giveUp(`deadline of ${bounds.deadlineMs} ms`);
    }, bounds.deadlineMs);
  }

  onRequestStart(controller: Controller): void {
    // ORDER: an exchange that was abandoned in the queue reported `not-sent`; it must not be sent
    // after that.
    if (this.#settled) controller.abort(new Error("mdmirror cancelled the request before it sent it"));
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
    if (Number(this.#headers["content-length"] ?? 0) > this.#maxBytes) this.#giveUp("the answer is too large");
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#giveUp("the answer is too large");
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(this.#result(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)));
  }

  #result(bytes: Buffer): WireResult {
    const [status, headers] = [this.#status, this.#headers];
    const encoding = headers["content-encoding"] ?? null;
    const body = decodeBody(bytes, encoding, this.#maxBytes);
    if (body.kind === "bad") return { kind: "lost", why: body.why };
    return { kind: "answer", response: { status, headers, body: body.text } };
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.#end(this.#failure(codeOf(error)));
  }

  #giveUp(why: string): void {
    const controller = this.#controller;
    this.#end(this.#failure(why));
    controller?.abort(new Error(why));
  }

  #failure(why: string): WireResult {
    const kind = this.#controller === null ? "not-sent" : "lost";
    return this.#timedOut ? { kind, why, timedOut: true } : { kind, why };
  }

  #end(result: WireResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#chunks.length = 0;
    this.#settle(result);
  }
}

export function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

/** Only the code: messages and the members of undici's errors may repeat what was sent (I30). */
export function codeOf(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code)) return error.code;
  return /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : "failed";
}
