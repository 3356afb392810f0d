import { GENERATION_HEADER, isGeneration, type WireHeaders, type WireRequest } from "../../contract/wire.ts";
import { EVENT_STREAM } from "../../contract/events.ts";
import type { StreamBounds, Wire, WireResult, StreamEnd } from "../../common/wire.ts";
import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import { type ApiCall, type ApiReply, readReply, removeQuery, type Scrub, toLogFields } from "./reply.ts";
import type { ExchangeTally } from "./tally.ts";

// LIMIT: number of bytes in an answer, because the whole answer is kept in memory. One document
// takes at most 614,400 bytes as JSON. A page of 1,000 items with the longest possible paths takes
// 25 MB.
const MAX_ANSWER_BYTES = { item: 4 * 1024 * 1024, page: 32 * 1024 * 1024 } as const;
const DEADLINE_MS = { GET: 30_000, POST: 60_000, PUT: 60_000, PATCH: 60_000, DELETE: 60_000 } as const;

type HttpOptions = {
  readonly wire: Wire;
  readonly key: string;
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly scrub: Scrub;
  readonly tally?: ExchangeTally | undefined;
};

function chooseBounds({ method, size }: ApiCall): { readonly deadlineMs: number; readonly maxBytes: number } {
  return { deadlineMs: DEADLINE_MS[method], maxBytes: MAX_ANSWER_BYTES[size] };
}

export type StreamReply = { readonly kind: "ended"; readonly why: string } | ApiReply;

/**
 * Result for a connection that cannot stream. The caller handles this 404 as the 404 of a service
 * without events.
 */
const STREAMS_UNSUPPORTED: StreamEnd = { kind: "answer", response: { status: 404, headers: {}, body: "" } };

export class HttpClient {
  readonly #options: HttpOptions;
  readonly #headers: WireHeaders;
  readonly #headersWithBody: WireHeaders;
  readonly #counts: Record<string, number> = {};
  #generation: string | null = null;

  /**
   * @throws if the key has characters that are forbidden in a header; the message does not contain
   * the key
   */
  constructor(options: HttpOptions) {
    const { key } = options;
    if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw new Error("the API key must be printable ASCII without spaces");
    this.#options = options;
    this.#headers = { accept: "application/json, application/problem+json", authorization: `Bearer ${key}` };
    this.#headersWithBody = { ...this.#headers, "content-type": "application/json" };
  }

  /**
   * Sends a call. Returns a reply even if the answer is unreadable or the connection is lost. Only
   * bugs throw.
   */
  async exchange(call: ApiCall): Promise<ApiReply> {
    const { wire, clock, log, tally } = this.#options;
    const startedAt = log.debug === false ? 0 : clock.monotonic();
    this.#counts[call.method] = (this.#counts[call.method] ?? 0) + 1;
    const result = await wire.send(this.#toRequest(call), chooseBounds(call));
    tally?.note(result);
    return this.#readReply(call, result, startedAt);
  }

  #toRequest(call: ApiCall): WireRequest {
    return {
      method: call.method,
      path: call.path,
      headers: call.body === null ? this.#headers : this.#headersWithBody,
      body: call.body === null ? null : JSON.stringify(call.body),
    };
  }

  #readReply(call: ApiCall, result: WireResult, started: number): ApiReply {
    const { address, clock, log, scrub } = this.#options;
    const reply = readReply(call, result, { address, scrub, now: clock.now() });
    this.#noteGeneration(reply, result);
    if (log.debug === false) return reply;
    log.write("debug", "remote.exchange", {
      method: call.method,
      route: removeQuery(call.path),
      ms: Math.round(clock.monotonic() - started),
      ...toLogFields(reply),
    });
    return reply;
  }

  /**
   * Reads a stream of events, and resolves when the stream ends. The limit of parallel calls does
   * not apply to a stream.
   * @param lastId id of the event after which the stream resumes; null to begin with new events
   */
  async stream(
    path: string,
    lastId: string | null,
    bounds: StreamBounds,
    onBytes: (bytes: Buffer) => void,
  ): Promise<StreamReply> {
    const { wire, address, clock, scrub } = this.#options;
    const headers = {
      ...this.#headers,
      accept: EVENT_STREAM,
      ...(lastId === null ? {} : { "last-event-id": lastId }),
    };
    const request = { method: "GET", path, headers, body: null };
    const streamEnd = (await wire.stream?.(request, bounds, onBytes)) ?? STREAMS_UNSUPPORTED;
    if (streamEnd.kind === "ended") return { kind: "ended", why: scrub(streamEnd.why, 200) };
    const call: ApiCall = { method: "GET", path, body: null, accept: [], size: "page" };
    return readReply(call, streamEnd, { address, scrub, now: clock.now() });
  }

  counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }

  /**
   * Returns the generation of the service, from the last answer with a generation; null without
   * such an answer.
   */
  generation(): string | null {
    return this.#generation;
  }

  /** Remembers the generation in an answer. Ignores answers of other programs, such as a proxy. */
  #noteGeneration({ kind }: ApiReply, result: WireResult): void {
    if (result.kind !== "answer" || (kind !== "success" && kind !== "problem")) return;
    const generation = result.response.headers[GENERATION_HEADER];
    if (isGeneration(generation)) this.#generation = generation;
  }
}
