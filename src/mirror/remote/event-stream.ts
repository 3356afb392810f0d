import { EVENTS } from "../../contract/resources.ts";
import { type EventType, MAX_EVENT_ID_LENGTH, SILENCE_MS } from "../../contract/events.ts";
import type { EventHint, EventListener, EventStreamState, RemoteEvents } from "../ports/remote.ts";
import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import type { HttpClient, StreamReply } from "./http.ts";
import { parseJson, readPath } from "./shapes.ts";
import { isChangeId, isDirId, isDocId } from "../../contract/ids.ts";
import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import { createParser, type EventSourceMessage } from "eventsource-parser";

type EventStreamOptions = {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
};

const RECONNECT_DELAYS = {
  /**
   * Milliseconds before the next attempt after a lost connection. Each further loss doubles the
   * delay, up to `lostMostMs`. After a stream that stayed open for `lastedMs`, the delay is
   * `lostMs` again.
   */
  lostMs: 3_000,
  lostMostMs: 60_000,
  lastedMs: 60_000,
  /**
   * Milliseconds before the next attempt after a temporary error without a `Retry-After` header.
   * Each further error doubles the delay, up to `refusedMostMs`.
   */
  refusedMs: 10_000,
  refusedMostMs: 300_000,
  /**
   * Milliseconds before the next attempt if the service does not support events, because an updated
   * service may support them.
   */
  noneMs: 3_600_000,
} as const;

const STREAM_LIMITS = { deadlineMs: 30_000, silenceMs: SILENCE_MS, maxBytes: 64 * 1024 } as const;

// LIMIT: number of bytes of events in one minute, enough for some 50,000 events. If more documents
// change, a listing of all documents transfers less data.
const EVENT_FLOOD = { bytes: 8 * 1024 * 1024, inMs: 60_000 } as const;

const EVENT_ID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_EVENT_ID_LENGTH}}$`);

type StreamEnd = StreamReply | { readonly kind: "too-much"; readonly why: string };
/** State of the stream, and `ms`: longest delay before the next attempt, in milliseconds. */
type NextStreamState = { readonly state: EventStreamState; readonly ms: number };

/**
 * Receives the events of the service, and opens the stream again when the stream ends. A lost event
 * does no harm, because an event is only a hint that something changed.
 */
export class EventStream implements RemoteEvents {
  readonly #options: EventStreamOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #lastId: string | null = null;
  #failures = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  start(listener: EventListener): void {
    this.#running = this.#run(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(listener: EventListener): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const streamEnd = await this.#listen(listener);
      if (signal.aborted) return;
      if (clock.monotonic() - startedAt > RECONNECT_DELAYS.lastedMs) this.#failures = 0;
      const nextState = nextStateAfter(streamEnd, this.#failures++);
      listener.onState(nextState.state);
      // The delay is random, so that the clients of a restarted service do not all connect at the
      // same moment.
      await clock.sleep(nextState.ms * (0.1 + 0.9 * random.fraction()), signal);
    }
  }

  async #listen(listener: EventListener): Promise<StreamEnd> {
    const { http, clock } = this.#options;
    const connection = new EventConnection(listener, this.#lastId, clock, this.#closing.signal);
    const { signal } = connection;
    const streamEnd = await http.stream(EVENTS, this.#lastId, { ...STREAM_LIMITS, signal }, (bytes) =>
      connection.take(bytes),
    );
    this.#lastId = connection.lastId;
    return connection.endedForGood ?? streamEnd;
  }
}

// LIMIT: number of characters in one event, because the parser keeps an incomplete event in memory.
// The longest event of the API has a path of 25 KB.
const MAX_EVENT_LENGTH = 64 * 1024;

class EventConnection {
  readonly signal: AbortSignal;
  /**
   * Id of the event after which the next connection resumes. Null if the next connection begins
   * with new events, and may miss earlier events.
   */
  lastId: string | null;
  endedForGood: Extract<StreamEnd, { readonly kind: "too-much" }> | null = null;
  readonly #listener: EventListener;
  readonly #resumesAfter: string | null;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #ending = new AbortController();
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: (event) => this.#takeEvent(event),
    onError: ({ type }) => {
      // Other errors of the format are ignored, as the specification of server-sent events
      // requires.
      if (type === "max-buffer-size-exceeded") this.#giveUp("an event is too long");
    },
  });
  #isOpen = false;
  /** Last id on this connection. Later events without an id have the same id. */
  #namedId: string | null = null;
  #countedSince = 0;
  #bytes = 0;

  constructor(
    listener: EventListener,
    resumesAfter: string | null,
    clock: Pick<Clock, "monotonic">,
    closing: AbortSignal,
  ) {
    this.#listener = listener;
    this.#resumesAfter = resumesAfter;
    this.lastId = resumesAfter;
    this.#clock = clock;
    this.signal = AbortSignal.any([this.#ending.signal, closing]);
  }

  take(bytes: Buffer): void {
    if (this.signal.aborted) return;
    if (!this.#isOpen) this.#open();
    if (this.#isFlood(bytes.length)) this.#giveUp("it sends too many events");
    else this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  #open(): void {
    this.#isOpen = true;
    this.#listener.onState({ kind: "listening" });
    // A connection that begins with new events may have missed earlier events.
    if (this.#resumesAfter === null) this.#listener.onHint({ kind: "all" });
  }

  #isFlood(received: number): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#countedSince > EVENT_FLOOD.inMs) {
      this.#countedSince = now;
      this.#bytes = 0;
    }
    this.#bytes += received;
    return this.#bytes > EVENT_FLOOD.bytes;
  }

  #takeEvent({ event = "message", data, id }: EventSourceMessage): void {
    if (this.signal.aborted) return;
    this.#namedId = id ?? this.#namedId;
    this.lastId = this.#namedId !== null && EVENT_ID.test(this.#namedId) ? this.#namedId : null;
    const hint = readEvent(event, data);
    if (hint !== null) this.#listener.onHint(hint);
  }

  #giveUp(why: string): void {
    this.endedForGood = { kind: "too-much", why };
    // Nobody reads the remaining events of the stream, so the next connection must not resume after
    // its last event.
    this.lastId = null;
    this.#ending.abort();
  }
}

/**
 * Returns the state after a stream has ended, and the longest delay before the next attempt.
 * @param failures number of earlier attempts in a row that failed or ended soon
 */
function nextStateAfter(end: StreamEnd, failures: number): NextStreamState {
  const factor = 2 ** Math.min(failures, 16);
  if (end.kind === "too-much") return { state: { kind: "broken", why: end.why }, ms: RECONNECT_DELAYS.refusedMostMs };
  if (end.kind === "problem" || end.kind === "unreadable" || end.kind === "success") {
    const why = whyNoStream(end);
    if (!isTemporary(end)) return { state: { kind: "none", why }, ms: RECONNECT_DELAYS.noneMs };
    const serverMs = "retryAfterMs" in end ? end.retryAfterMs : null;
    const ms = Math.min(RECONNECT_DELAYS.refusedMostMs, Math.max(serverMs ?? 0, RECONNECT_DELAYS.refusedMs * factor));
    return { state: { kind: "broken", why }, ms };
  }
  const why = end.kind === "ended" ? end.why : end.detail;
  return {
    state: { kind: "broken", why },
    ms: Math.min(RECONNECT_DELAYS.lostMostMs, RECONNECT_DELAYS.lostMs * factor),
  };
}

type AnsweredStreamEnd = Extract<StreamEnd, { readonly kind: "problem" | "unreadable" | "success" }>;

function isTemporary(end: AnsweredStreamEnd): boolean {
  if (end.kind === "problem" && end.code === "workspace_not_found") return true;
  return end.status === 401 || end.status === 429 || (end.status >= 500 && end.status !== 501);
}

function whyNoStream(end: AnsweredStreamEnd): string {
  if (end.kind === "problem") return end.status === 404 ? "the service has no events" : `${end.status} ${end.code}`;
  return end.kind === "unreadable"
    ? `${end.status}, ${end.summary}`
    : `status ${end.status} instead of a stream of events`;
}

type ReadEvent = (data: JsonObject) => EventHint | null;

const EVENT_READERS: { readonly [Type in EventType]: ReadEvent } = {
  file: readFileEvent,
  folder: (data) => {
    const id = member(data, "id");
    return isDirId(id) ? { kind: "folder", id } : null;
  },
  reset: () => ANYTHING_CHANGED,
};

const ANYTHING_CHANGED: EventHint = { kind: "all" };

/**
 * Returns the hint in an event; null for an unknown type of event. An unreadable event of a known
 * type becomes the hint that any document may have changed.
 */
function readEvent(type: string, data: string): EventHint | null {
  if (!Object.hasOwn(EVENT_READERS, type)) return null;
  const json = parseJson(data);
  if (json.kind !== "json" || !isJsonObject(json.value)) return ANYTHING_CHANGED;
  return EVENT_READERS[type as EventType](json.value) ?? ANYTHING_CHANGED;
}

function readFileEvent(data: JsonObject): EventHint | null {
  const id = member(data, "id");
  if (!isDocId(id)) return null;
  const path = readPath(member(data, "path"), "file");
  const changeId = member(data, "lastChangeId");
  return {
    kind: "file",
    id,
    path: path.ok ? path.value.path : null,
    changeId: isChangeId(changeId) ? changeId : null,
    gone: member(data, "change") === "gone",
  };
}
