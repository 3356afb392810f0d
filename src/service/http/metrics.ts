/**
 * Collects figures about requests and the process. `/metrics` reports the figures since the start;
 * the charts of the overview page show the last day. The figures contain no content, keys, document
 * paths or names of workspaces.
 */
import type { ServiceFigures } from "../service.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { formatMetrics, type Metric, type MetricSample } from "../../common/metrics-text.ts";
import type { AccessEntry, RequestRecord } from "./access-log.ts";

const MINUTE_MS = 60_000;
/** LIMIT: number of minutes that are remembered: one day. A minute takes about 0.5 kB. */
const REMEMBERED_MINUTES = 1_440;
/**
 * Upper end of the first bucket in `durations`, in milliseconds. The end of each other bucket is 25
 * % above the end of the previous bucket.
 */
const FIRST_BUCKET_MS = 0.5;
const BUCKET_RATIO = 1.25;
/** Number of buckets in `durations`. The last bucket contains all durations above 14 s. */
const DURATION_BUCKETS = 48;

type AnswerCounts = { answered: number; refused: number; failed: number };

type MinuteCounts = AnswerCounts & {
  /** Minutes since the epoch; identifies this minute. */
  readonly minute: number;
  /** Number of answers in each histogram bucket, by duration. */
  readonly durations: Uint32Array;
  figures: ServiceFigures | null;
};

/** Numbers of answers in a span of time. `answered`: below 400; `refused`: 4xx; `failed`: 5xx. */
export type RequestSpan = Readonly<AnswerCounts> & {
  /** Start of the span, in milliseconds since the epoch. */
  readonly at: number;
  /**
   * Milliseconds in which half of the answers were sent; `p95`: milliseconds in which 95 % of the
   * answers were sent. Both values may be up to 25 % too high, because durations are counted in
   * buckets. Null if there was no answer.
   */
  readonly median: number | null;
  readonly p95: number | null;
  /** Latest figures of the service in the span; null if no figures were read. */
  readonly figures: ServiceFigures | null;
};

/**
 * Keeps figures about the requests of the last day in memory. If the operator has no monitoring,
 * nothing else records past figures.
 */
export class RequestHistory {
  readonly #now: () => number;
  readonly #readFigures: () => Promise<ServiceFigures | null>;
  readonly #minutes: MinuteCounts[] = [];

  /**
   * @param now returns milliseconds since the epoch
   * @param readFigures returns the current figures of the service, or null if the service has none.
   * This function must not reject, and is called once in each minute with requests
   */
  constructor(now: () => number, readFigures: () => Promise<ServiceFigures | null>) {
    this.#now = now;
    this.#readFigures = readFigures;
  }

  /**
   * Counts an answered request.
   * @param ms duration in milliseconds; null for a stream, whose duration has no meaning
   */
  note(status: number, ms: number | null): void {
    const minute = this.#current();
    if (status >= 500) minute.failed++;
    else if (status >= 400) minute.refused++;
    else minute.answered++;
    if (ms !== null) minute.durations[findBucket(ms)]!++;
  }

  #current(): MinuteCounts {
    const now = Math.floor(this.#now() / MINUTE_MS);
    const lastMinute = this.#minutes.at(-1);
    // If the clock was set back, new requests count in the latest minute.
    if (lastMinute !== undefined && lastMinute.minute >= now) return lastMinute;
    const durations = new Uint32Array(DURATION_BUCKETS);
    const minute: MinuteCounts = { minute: now, answered: 0, refused: 0, failed: 0, durations, figures: null };
    this.#minutes.push(minute);
    if (this.#minutes.length > REMEMBERED_MINUTES) this.#minutes.shift();
    void this.#readFigures().then((figures) => {
      minute.figures = figures;
    });
    return minute;
  }

  /** Returns `count` spans of `minutes` minutes each. The last span contains the current minute. */
  spans({ minutes, count }: { readonly minutes: number; readonly count: number }): RequestSpan[] {
    const endSpan = Math.floor(this.#now() / MINUTE_MS / minutes) + 1;
    const minutesBySpan = Map.groupBy(this.#minutes, ({ minute }) => Math.floor(minute / minutes));
    return Array.from({ length: count }, (_, n) => {
      const spanNumber = endSpan - count + n;
      return makeSpan(spanNumber * minutes * MINUTE_MS, minutesBySpan.get(spanNumber) ?? []);
    });
  }
}

function makeSpan(at: number, minutes: readonly MinuteCounts[]): RequestSpan {
  const sumCounts = (countIn: (minute: MinuteCounts) => number) =>
    minutes.reduce((total, minute) => total + countIn(minute), 0);
  const durations = Array.from({ length: DURATION_BUCKETS }, (_, bucket) =>
    sumCounts((minute) => minute.durations[bucket]!),
  );
  return {
    at,
    answered: sumCounts(({ answered }) => answered),
    refused: sumCounts(({ refused }) => refused),
    failed: sumCounts(({ failed }) => failed),
    median: findQuantile(durations, 0.5),
    p95: findQuantile(durations, 0.95),
    figures: minutes.findLast(({ figures }) => figures !== null)?.figures ?? null,
  };
}

function findBucket(ms: number): number {
  const bucket = Math.ceil(Math.log(Math.max(ms, FIRST_BUCKET_MS) / FIRST_BUCKET_MS) / Math.log(BUCKET_RATIO));
  return Math.min(bucket, DURATION_BUCKETS - 1);
}

/**
 * Returns the milliseconds in which a share of the answers were sent: the upper end of a bucket.
 * Null if there are no answers.
 */
function findQuantile(durations: readonly number[], share: number): number | null {
  const totalCount = durations.reduce((sum, count) => sum + count, 0);
  let countSoFar = 0;
  const bucket = durations.findIndex((count) => {
    countSoFar += count;
    return count > 0 && countSoFar >= totalCount * share;
  });
  return bucket < 0 ? null : FIRST_BUCKET_MS * BUCKET_RATIO ** bucket;
}

/**
 * Numbers of open event streams (`streams`), and of connections that were closed because the client
 * did not read (`cut`).
 */
type EventStreamCounts = { readonly streams: number; readonly cut: number };

/**
 * LIMIT: upper limits of the buckets that `/metrics` shows, in seconds. The first limits are small,
 * because most answers take milliseconds. Answers that take more than 10 s are only in `+Inf`.
 */
const BUCKET_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const NANOSECONDS_PER_SECOND = 1e9;
/**
 * Status for a client that disconnected before its answer. HTTP has no such status; nginx logs the
 * same number.
 */
const CLIENT_GONE_STATUS = 499;

type MetricsOptions = {
  readonly log: ((entry: AccessEntry) => void) | null;
  readonly readFigures: () => Promise<ServiceFigures | null>;
};

type AnswerCount = { readonly route: string; readonly code: number; count: number };

export type RouteCount = Readonly<AnswerCount>;

/** Counts requests. A request runs from the end of its headers to the end of its answer. */
export class RequestMetrics {
  readonly #startedAt = performance.now();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #countStreams: () => EventStreamCounts;
  readonly #log: ((entry: AccessEntry) => void) | null;
  readonly history: RequestHistory;
  readonly #answered = new Map<string, AnswerCount>();
  /** Number of answers in each bucket. An answer counts in the smallest bucket that fits. */
  readonly #within: number[] = BUCKET_SECONDS.map(() => 0);
  #timed = 0;
  #seconds = 0;
  #underWay = 0;
  /**
   * Answers that are event streams. The durations of these answers are not counted, because clients
   * decide when a stream ends.
   */
  readonly #streams = new WeakSet<ServerResponse>();

  /**
   * @param options.log receives each finished request; null for no log
   * @param options.readFigures returns the current figures of the service, which the history of
   * requests records
   */
  constructor(countStreams: () => EventStreamCounts, { log, readFigures }: MetricsOptions) {
    this.#countStreams = countStreams;
    this.#log = log;
    this.history = new RequestHistory(Date.now, readFigures);
    this.#delay.enable();
  }

  /** @param route pattern of the request's path */
  begin(request: IncomingMessage, response: ServerResponse, route: string): RequestRecord {
    this.#underWay++;
    const isGone = () => response.destroyed;
    const from = request.socket.remoteAddress ?? "";
    const requestRecord: RequestRecord = { route, bytes: 0, key: null, requestId: null, isGone, from };
    const startedAt = performance.now();
    response.on("close", () =>
      this.#end(toMethodLabel(request.method!), response, requestRecord, performance.now() - startedAt),
    );
    return requestRecord;
  }

  #end(method: string, response: ServerResponse, requestRecord: RequestRecord, ms: number): void {
    this.#underWay--;
    const status = response.headersSent ? response.statusCode : CLIENT_GONE_STATUS;
    if (!this.#streams.has(response)) {
      this.#count(`${method} ${requestRecord.route}`, status);
      this.#time(ms);
      this.history.note(status, ms);
    }
    // Only the log needs the time of a request, which is slow to format.
    if (this.#log === null) return;
    const { isGone: _, from: __, ...entry } = requestRecord;
    const requestedAt = new Date(Date.now() - ms).toISOString();
    this.#log({ at: requestedAt, ms: roundMs(ms), method, status, ...entry });
  }

  countStream({ route }: RequestRecord, { method }: IncomingMessage, response: ServerResponse): void {
    this.#streams.add(response);
    this.#count(`${toMethodLabel(method!)} ${route}`, response.statusCode);
    this.history.note(response.statusCode, null);
  }

  routes(): readonly RouteCount[] {
    return [...this.#answered.values()];
  }

  uptimeMs(): number {
    return performance.now() - this.#startedAt;
  }

  #count(route: string, code: number): void {
    const key = `${route} ${code}`;
    const answerCount = this.#answered.get(key);
    if (answerCount === undefined) this.#answered.set(key, { route, code, count: 1 });
    else answerCount.count++;
  }

  #time(ms: number): void {
    const seconds = ms / 1_000;
    this.#timed++;
    this.#seconds += seconds;
    const index = BUCKET_SECONDS.findIndex((most) => seconds <= most);
    if (index >= 0) this.#within[index]!++;
  }

  async metricsText(known: ServiceFigures | null): Promise<string> {
    const text = formatMetrics([
      ...this.#ofRequests(),
      ...this.#ofProcess(),
      ...(known === null ? [] : makeServiceMetrics(known)),
    ]);
    this.#delay.reset();
    return text;
  }

  #ofRequests(): Metric[] {
    const { streams, cut } = this.#countStreams();
    const answerSamples = this.routes().map(({ route, code, count }) => {
      return { labels: { route, code: String(code) }, value: count };
    });
    const seconds = "Seconds from the headers of a request to the end of its answer, without streams.";
    return [
      makeMetric("requests_total", "counter", "Requests that were answered, by route and code.", answerSamples),
      makeMetric("request_duration_seconds", "histogram", seconds, this.#buckets()),
      makeGauge("requests_under_way", "Requests that are not answered yet.", this.#underWay - streams),
      makeGauge("streams", "Open answers, such as streams of events.", streams),
      makeMetric("slow_clients_cut_total", "counter", "Connections ended because the client did not read the answer.", [
        { labels: {}, value: cut },
      ]),
    ];
  }

  #ofProcess(): Metric[] {
    const { max, count } = this.#delay;
    const longestDelay = Number.isFinite(max) && count > 0 ? max / NANOSECONDS_PER_SECOND : 0;
    return [
      makeGauge(
        "event_loop_delay_seconds",
        "The longest delay of the event loop since it was last read.",
        longestDelay,
      ),
      makeGauge("uptime_seconds", "Since the start.", this.uptimeMs() / 1_000),
    ];
  }

  #buckets(): MetricSample[] {
    const makeBucket = (le: string, value: number): MetricSample => ({ labels: { le }, value, suffix: "_bucket" });
    const countUpToBucket = (index: number) => this.#within.slice(0, index + 1).reduce((sum, count) => sum + count, 0);
    return [
      ...BUCKET_SECONDS.map((most, index) => makeBucket(String(most), countUpToBucket(index))),
      makeBucket("+Inf", this.#timed),
      { labels: {}, value: this.#seconds, suffix: "_sum" },
      { labels: {}, value: this.#timed, suffix: "_count" },
    ];
  }

  close(): void {
    this.#delay.disable();
  }
}

function makeServiceMetrics({ database, pool, listeners }: ServiceFigures): Metric[] {
  return [
    makeGauge("documents", "Documents of all workspaces.", database?.documents),
    makeGauge("indexing_backlog", "Changes that are not in the search index yet.", database?.indexing),
    makeGauge("data_bytes", "Size of the database.", database?.bytes),
    makeGauge("database_connections", "Connections to PostgreSQL, in all.", pool?.connections),
    makeGauge("database_connections_idle", "Idle connections to PostgreSQL.", pool?.idle),
    makeGauge("database_waiting", "Requests that wait for a connection to PostgreSQL.", pool?.waiting),
    makeGauge("event_listeners", "Clients that listen to events and can resume after a gap.", listeners),
  ];
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Returns a gauge for `/metrics`. Without a value, `/metrics` does not show the gauge. */
function makeGauge(name: string, help: string, value: number | undefined): Metric {
  return makeMetric(name, "gauge", help, value === undefined ? [] : [{ labels: {}, value }]);
}

function makeMetric(name: string, type: Metric["type"], help: string, samples: readonly MetricSample[]): Metric {
  return { name: `mdmirror_service_${name}`, help, type, samples };
}

/**
 * Returns the method of a request. Returns `OTHER` if the method is not one to seven capital
 * letters, so that clients cannot put any text into labels.
 */
function toMethodLabel(method: string): string {
  return /^[A-Z]{1,7}$/.test(method) ? method : "OTHER";
}
