import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { WireRequest } from "../../contract/wire.ts";
import { describeFailure, type StreamBounds, type StreamEnd, type Wire, type WireResult } from "../../common/wire.ts";
import { checkBaseUrl, type ServiceRoute } from "./address.ts";
import { EVENT_STREAM } from "../../contract/events.ts";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

type WireOptions = {
  readonly baseUrl: string;
  /** Hosts for which plain http is allowed (`--allow-http`), in addition to this machine. */
  readonly allowHttpHosts?: readonly string[];
  /**
   * Largest number of sockets. Default: twice the largest number of parallel calls, because undici
   * frees a socket slightly after the answer.
   */
  readonly connections?: number;
  /** Certificate authority in PEM format, which replaces the authorities of the system. */
  readonly ca?: string;
  readonly userAgent?: string;
  readonly route?: ServiceRoute;
};

/**
 * Creates a pool of HTTP/1.1 connections to one service. The pool repeats no requests, follows no
 * redirects and keeps no cookies.
 * @throws for a base URL that `checkBaseUrl` refuses; the message does not contain the URL
 */
export function createWire(options: WireOptions): Wire {
  return new PooledWire(options);
}

class PooledWire implements Wire {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #options: WireOptions;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly #closer = new AbortController();
  #pool: Dispatcher | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    const baseUrl = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
    if (baseUrl.kind === "bad") throw new Error(`bad base URL: ${baseUrl.why}`);
    this.#origin = baseUrl.origin;
    this.#prefix = baseUrl.prefix;
    this.#options = options;
    this.#defaultHeaders = options.userAgent === undefined ? {} : { "user-agent": options.userAgent };
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
    const closedResult = this.#whyClosed();
    if (closedResult !== null) return closedResult;
    return new Promise((settle) => {
      const exchange = new HttpExchange(bounds, (result) => settle(addProxyName(result, this.#options.route)));
      this.#dispatch(request, ACCEPTED_ENCODINGS, exchange);
    });
  }

  async stream(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd> {
    const closedResult = this.#whyClosed();
    if (closedResult !== null) return closedResult;
    const signal = AbortSignal.any([bounds.signal, this.#closer.signal]);
    return new Promise((settle) => {
      const streaming = {
        silenceMs: bounds.silenceMs,
        signal,
        onBytes,
        ended: (why: string) => ({ kind: "ended", why }) as const,
      };
      const exchange = new HttpExchange<Extract<StreamEnd, { kind: "ended" }>>(bounds, settle, streaming);
      // The stream accepts no compression, because compression would delay events.
      this.#dispatch(request, "identity", exchange);
    });
  }

  close(): Promise<void> {
    // ORDER: streams are aborted first, because the pool waits for open requests before closing.
    this.#closer.abort();
    this.#closing ??= this.#pool?.close() ?? Promise.resolve();
    return this.#closing;
  }

  /**
   * Returns the reason why no request can be sent: the pool is closed, or the URL of the proxy is
   * invalid. Null without such a reason.
   */
  #whyClosed(): Extract<WireResult, { kind: "not-sent" }> | null {
    if (this.#closing !== null) return { kind: "not-sent", why: "closed" };
    const { route } = this.#options;
    if (route?.kind !== "bad") return null;
    return { kind: "not-sent", why: `${route.variable} is not the URL of an HTTP proxy` };
  }

  /** Sends a request. Never throws: the handler gets all errors, even that of an invalid header. */
  #dispatch(
    { method, path, headers, body }: WireRequest,
    encodings: string,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.#pool ??= this.#openPool();
    this.#pool.dispatch(
      {
        method: method as "GET",
        origin: this.#origin,
        path: this.#prefix + path,
        headers: { "accept-encoding": encodings, ...this.#defaultHeaders, ...headers },
        body,
      },
      handler,
    );
  }

  #openPool(): Dispatcher {
    const { connections = 64, ca, route } = this.#options;
    const trustOptions = ca === undefined ? {} : { ca };
    const options = {
      connections,
      pipelining: 1,
      // With HTTP/2, one lost connection would end several requests.
      allowH2: false,
      // undici's timeouts are off, because each request has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (route?.kind === "proxy") {
      return new ProxyAgent({ ...options, uri: route.url, connectTimeout: CONNECT_MS, requestTls: trustOptions });
    }
    return new Pool(this.#origin, { ...options, connect: { timeout: CONNECT_MS, ...trustOptions } });
  }
}

const CONNECT_MS = 10_000;

/** Adds the proxy to the message of a failed connection, because the proxy may be the cause. */
function addProxyName(result: WireResult, route: ServiceRoute | undefined): WireResult {
  if (result.kind !== "not-sent" || route?.kind !== "proxy") return result;
  const cause = result.why === "UND_ERR_ABORTED" ? "it refused" : describeFailure(result.why);
  return { ...result, why: `no connection by the proxy ${route.origin} (${route.variable}): ${cause}` };
}

type RequestController = Pick<Dispatcher.DispatchController, "abort">;

type StreamReceiver<Ended> = Pick<StreamBounds, "silenceMs" | "signal"> & {
  readonly onBytes: (bytes: Buffer) => void;
  readonly ended: (why: string) => Ended;
};

/**
 * One HTTP request with its answer, from the wait for a free connection to the last byte. Calls
 * `settle` once with the result. Passes each part of a stream of events on immediately; collects
 * the whole body of any other answer first.
 *
 * The result `not-sent` is certain, not guessed from error codes. undici calls `onRequestStart`
 * just before the first byte. If the request is aborted in that call, undici writes nothing. After
 * that call, the service may have received the request.
 */
class HttpExchange<Ended = never> implements Dispatcher.DispatchHandler {
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
    // ORDER: this check comes before undici sends the first byte. A request that was aborted while
    // it waited for a connection has already reported `not-sent`.
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
    // A stream has no deadline, but ends after some time without data.
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
    this.#end(this.#failure(toLossCode(error)));
  }

  #answer(): WireResult {
    const [status, headers] = [this.#status, this.#headers];
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const body = decodeBody(bytes, headers["content-encoding"] ?? null, this.#maxBytes);
    if (body.kind === "bad") return this.#unreadable(body.why);
    return { kind: "answer", response: { status, headers, body: body.text } };
  }

  /**
   * An unreadable body matters only in a successful answer, because the status of an error is
   * enough.
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
  const flatHeaders: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flatHeaders[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flatHeaders;
}

/**
 * Returns the code of an error, not its message, because messages of undici may contain parts of
 * the request (I30).
 */
function toLossCode(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code)) return error.code;
  return /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : "failed";
}

type BodyText = { readonly kind: "text"; readonly text: string } | { readonly kind: "bad"; readonly why: string };

const ACCEPTED_ENCODINGS = "gzip, br";

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decompresses the body of an answer, and decodes it as UTF-8.
 * @param encoding value of the `content-encoding` header; null if the answer has no such header
 * @param maxBytes largest number of bytes after decompression
 */
export function decodeBody(bytes: Buffer, encoding: string | null, maxBytes: number): BodyText {
  const plainBytes = decompress(bytes, (encoding ?? "identity").trim().toLowerCase(), maxBytes);
  if (typeof plainBytes === "string") return { kind: "bad", why: plainBytes };
  if (plainBytes.length > maxBytes) return { kind: "bad", why: "the answer is too large" };
  try {
    return { kind: "text", text: STRICT_UTF8.decode(plainBytes) };
  } catch {
    // The decoder throws only if the bytes are not UTF-8.
    return { kind: "bad", why: "the answer is not UTF-8" };
  }
}

function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer | string {
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "br")
    return "the answer has a compression that mdmirror did not ask for";
  // Answers with status 204 or 304 have no body, but may have a `content-encoding` header.
  if (bytes.length === 0) return bytes;
  try {
    // LIMIT: number of bytes after decompression, so that this synchronous call blocks for some
    // milliseconds at most. A decompression stream would not block, but would have to be closed
    // after each error.
    const options = { maxOutputLength: maxBytes };
    return encoding === "br" ? brotliDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge ? "the answer is too large" : "the compressed answer is damaged";
  }
}
