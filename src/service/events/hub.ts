/** Sends events to listeners. A listener gets only events that the access of its key permits. */

import { EVENT_STREAM, MAX_EVENT_ID_LENGTH } from "../../contract/events.ts";
import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import { isRefused, type Refused, refuse } from "../requests/answer.ts";
import { type RateCheck, findHolder, type KeyReader, findReader, readSentHash } from "../requests/authenticate.ts";
import { answerOrFail, refuseClosing, type ServiceCore } from "../requests/dispatch.ts";
import type { AnswerStream, StreamedAnswer } from "../http/stream.ts";
import { readInput } from "../requests/input.ts";
import { splitRequestTarget } from "../requests/router.ts";
import type { Store } from "../store/store.ts";
import { openPosition } from "../requests/seal.ts";
import { Listeners } from "./listeners.ts";
import { HEARTBEAT, OutboxReader } from "./outbox-reader.ts";

// LIMIT: number of listeners with the same key, because each listener needs a connection. A key is
// meant for few machines.
const MAX_LISTENERS_PER_KEY = 256;
const RETRY_AFTER_SECONDS = "30";
const CHECK_EVERY_MS = 1_000;
const HEARTBEAT_EVERY_MS = 20_000;
const NO_BODY = { text: null, fault: null };
const STREAM_HEADERS = {
  "content-type": EVENT_STREAM,
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const;

export class EventHub {
  readonly #core: ServiceCore;
  readonly #store: Store;
  readonly #admit: RateCheck;
  readonly #reader: OutboxReader;
  readonly #listeners = new Listeners();
  /**
   * Promise that resolves when all queued work of this hub has ended. The work runs in the order of
   * the queue.
   */
  #turn: Promise<unknown> = Promise.resolve();
  /**
   * Position in the outbox up to which all listeners have received events. Null without listeners,
   * or after an error.
   */
  #position: string | null = null;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;

  constructor(core: ServiceCore, admit: RateCheck) {
    this.#core = core;
    this.#store = core.server.store;
    this.#admit = admit;
    this.#reader = new OutboxReader(core.server);
  }

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Answers `GET /v1/events`. `open` is a field and not a method, because a transport calls this
   * function without the hub object.
   */
  readonly open = async (request: WireRequest): Promise<WireResponse | StreamedAnswer> => {
    let streamAnswer: StreamedAnswer | null = null;
    const refusal = await answerOrFail(this.#core, async (requestId) => {
      const stream = await this.#makeStream(request);
      if (isRefused(stream)) return stream;
      streamAnswer = { status: 200, headers: { ...STREAM_HEADERS, "x-request-id": requestId }, stream };
      return null;
    });
    return refusal ?? streamAnswer!;
  };

  async #makeStream({ path, headers }: WireRequest): Promise<StreamedAnswer["stream"] | Refused> {
    if (!this.#core.isOpen) return refuseClosing();
    const hash = readSentHash(headers);
    const reader = findReader(await findHolder(this.#store, hash, this.#now()), this.#admit);
    if (isRefused(reader)) return reader;
    const input = readInput({}, { id: "", query: splitRequestTarget(path).query, body: NO_BODY });
    if (isRefused(input)) return input;
    if (this.#listeners.countOf(hash!) >= MAX_LISTENERS_PER_KEY) {
      const detail = `There are ${MAX_LISTENERS_PER_KEY} listeners with this key already.`;
      return refuse("rate_limited", detail, [], { "retry-after": RETRY_AFTER_SECONDS });
    }
    const lastEventId = headers["last-event-id"] ?? "";
    const isValidId = lastEventId !== "" && lastEventId.length <= MAX_EVENT_ID_LENGTH;
    const position = isValidId ? openPosition(this.#store.cursorSecret, reader.workspace.seq, lastEventId) : null;
    return (sink) => this.#join(sink, hash!, reader, position);
  }

  /** Adds a listener. Returns a function that removes the listener. */
  #join(sink: AnswerStream, hash: Buffer, reader: KeyReader, position: string | null): () => void {
    let isRemoved = false;
    // RACE: other listeners with the same key may have been added while the access of the key was
    // checked. So the number of listeners is checked once more.
    if (this.#listeners.countOf(hash) >= MAX_LISTENERS_PER_KEY) {
      sink.end();
      return () => undefined;
    }
    this.#listeners.count(hash, 1);
    sink.send(HEARTBEAT);
    this.#next(async () => {
      await this.#sendEvents();
      const newestPosition = this.#position!;
      const text = await this.#reader.missed(this.#store, reader, position, newestPosition);
      if (isRemoved || !this.#core.isOpen) return sink.end();
      this.#listeners.add(sink, hash, reader, this.#now());
      this.#begin();
      sink.send(text);
      // RACE: the store reports changes to the hub only while the hub has listeners. A change may
      // have been committed just before the first listener was added. So the hub reads the outbox
      // once more.
      this.wake();
    });
    return () => {
      if (isRemoved) return;
      isRemoved = true;
      this.#listeners.count(hash, -1);
      this.#listeners.remove(sink, hash);
      if (this.#listeners.size === 0) this.#stopListening();
    };
  }

  readonly wake = (): void => {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    this.#next(() => this.#sendEvents());
  };

  async close(): Promise<void> {
    this.#stopListening();
    for (const group of [...this.#listeners.groups()]) this.#listeners.end(group);
    await this.#turn;
  }

  /** Resolves when the events of all earlier writes have been sent to the listeners. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  /**
   * Runs `work` after all work that was queued earlier. If `work` throws, ends all streams, so that
   * the clients connect again.
   */
  #next(work: () => void | Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#core.onFault(error, "");
      this.#position = null;
      for (const group of [...this.#listeners.groups()]) this.#listeners.end(group);
    });
  }

  #now(): number {
    return this.#core.server.now();
  }

  #begin(): void {
    if (this.#timer !== null) return;
    this.#unsubscribe = this.#store.onChange(this.wake);
    this.#timer = setInterval(() => this.#tick(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  #stopListening(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#unsubscribe();
    this.#position = null;
  }

  #tick(): void {
    const now = this.#now();
    for (const group of [...this.#listeners.groups()]) {
      const { reader, lookedAt } = group;
      const { expiresAt } = reader.key;
      // A key expires by the clock of the store. So the difference between the store's clock and
      // the service's clock is added to the service's time.
      if (expiresAt !== null && expiresAt <= now + ((reader.at ?? lookedAt) - lookedAt)) this.#listeners.end(group);
    }
    this.#listeners.beat(HEARTBEAT, now, HEARTBEAT_EVERY_MS);
  }

  async #sendEvents(): Promise<void> {
    this.#isDue = false;
    for (let hasMore = true; hasMore && this.#core.isOpen; ) {
      const listenerGroups = [...this.#listeners.groups()];
      const result = await this.#store.read((tables) => this.#reader.readAfter(tables, this.#position, listenerGroups));
      this.#position = result.upTo;
      hasMore = result.more;
      for (const group of result.ended) this.#listeners.end(group);
      for (const [group, text] of result.texts) for (const sink of group.sinks) sink.send(text);
    }
  }
}
