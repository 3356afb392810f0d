import type { WireHeaders, WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { EventHub } from "../../../src/service/events/hub.ts";

/** An answer without an end, as the tests of events read it. */

export type OpenedStream = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** What came next; null: it has ended. */
  readonly read: () => Promise<string | null>;
  readonly close: () => void;
};

/** Opens `GET /v1/events`; an answer of another kind is one that is whole. */
export type StreamWire = (request: WireRequest) => Promise<OpenedStream | WireResponse>;

/** In this process. */
export function hubStream(hub: EventHub): StreamWire {
  return async (request) => {
    const answer = await hub.open(request);
    if (!("stream" in answer)) return answer;
    const parts: (string | null)[] = [];
    let arrived = Promise.withResolvers<void>();
    const add = (part: string | null) => {
      parts.push(part);
      arrived.resolve();
    };
    const leave = answer.stream({ send: add, end: () => add(null) });
    const read = async () => {
      if (parts.length === 0) await arrived.promise;
      const part = parts.shift()!;
      if (parts.length === 0) arrived = Promise.withResolvers();
      return part;
    };
    return { status: answer.status, headers: answer.headers, read, close: leave };
  };
}

/** Over HTTP, by the platform's `fetch`. */
export function fetchStream(baseUrl: string): StreamWire {
  return async ({ method, path, headers }) => {
    const abort = new AbortController();
    const response = await fetch(baseUrl + path, { method, headers, redirect: "error", signal: abort.signal });
    const common = { status: response.status, headers: Object.fromEntries(response.headers) };
    if (response.status !== 200 || response.body === null) return { ...common, body: await response.text() };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => (await reader.read()).value ?? null;
    return { ...common, read, close: () => abort.abort() };
  };
}

type Told = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** Somebody who listens, and waits for what is told. */
export class Heard {
  /** Of the newest event that has one. */
  lastId: string | null = null;
  readonly #stream: OpenedStream;
  #text = "";

  constructor(stream: OpenedStream) {
    this.#stream = stream;
  }

  /** A comment or an event, as it was sent; null: the stream has ended. */
  async block(): Promise<string | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        this.lastId = /^id: (.*)$/m.exec(block)?.[1] ?? this.lastId;
        return block;
      }
      const part = await this.#stream.read();
      if (part === null) return null;
      this.#text += part;
    }
  }

  /** The next event; null: the stream has ended. */
  async next(): Promise<Told | null> {
    for (let block = await this.block(); block !== null; block = await this.block()) {
      const type = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (type !== undefined && data !== undefined) return { type, data: JSON.parse(data) as Told["data"] };
    }
    return null;
  }

  /** The next one as `file created /a.md`. */
  async line(): Promise<string> {
    return lineOf(await this.next());
  }

  /** As `next`, past each `reset`: what was done before one listens may still be told. */
  async change(): Promise<Told | null> {
    for (;;) {
      const told = await this.next();
      if (told?.type !== "reset") return told;
    }
  }

  close(): void {
    this.#stream.close();
  }
}

export function lineOf(told: Told | null): string {
  if (told === null) return "the end";
  const { type, data } = told;
  return [type, data["change"], data["path"]].filter((part) => part !== undefined).join(" ");
}
