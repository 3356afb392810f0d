/**
 * Collects figures about requests and the process for `/metrics`. The figures are numbers; they
 * contain no content, keys, document paths or names of workspaces.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Metric, formatMetrics, type MetricSample } from "../../common/metrics-text.ts";
import type { ServiceFigures } from "../figures.ts";
import type { AccessEntry, RequestRecord } from "./access-log.ts";
import { RequestHistory } from "./request-history.ts";

/**
 * Numbers of open event streams (`streams`), and of connections that were closed because their
 * client did not read (`cut`).
 */
type EventStreamCounts = { readonly streams: number; readonly cut: number };

/**
 * LIMIT: upper limits of the histogram buckets, in seconds. The first ones are small, because most
 * answers take milliseconds. An answer that takes more than 10 s counts as an error.
 */
const BUCKET_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const NANOSECONDS_PER_SECOND = 1e9;
/**
 * Status for a client that disconnected before its answer. HTTP has no such status; nginx logs this
 * one.
 */
const CLIENT_GONE_STATUS = 499;

type MetricsOptions = {
  readonly log: ((entry: AccessEntry) => void) | null;
  readonly readFigures: () => Promise<ServiceFigures | null>;
};

type AnswerCount = { readonly route: string; readonly code: number; count: number };

export type RouteCount = Readonly<AnswerCount>;

/**
 * Counts requests. A request counts as running from the end of its headers to the end of its
 * answer.
 */
export class RequestMetrics {
  readonly #startedAt = performance.now();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #countStreams: () => EventStreamCounts;
  readonly #log: ((entry: AccessEntry) => void) | null;
  readonly history: RequestHistory;
  readonly #answered = new Map<string, AnswerCount>();
  /**
   * Number of answers in each histogram bucket. Each answer is counted only once, in the smallest
   * bucket that fits.
   */
  readonly #within: number[] = BUCKET_SECONDS.map(() => 0);
  #timed = 0;
  #seconds = 0;
  #underWay = 0;
  /**
   * Answers that are event streams. Their duration is not counted, because it is up to the client.
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
    const requestRecord: RequestRecord = { route, bytes: 0, key: null, requestId: null, isGone };
    const startedAt = performance.now();
    response.on("close", () =>
      this.#end(toMethodLabel(request.method!), response, requestRecord, performance.now() - startedAt),
    );
    return requestRecord;
  }

  #end(method: string, response: ServerResponse, taken: RequestRecord, ms: number): void {
    this.#underWay--;
    const status = response.headersSent ? response.statusCode : CLIENT_GONE_STATUS;
    if (!this.#streams.has(response)) {
      this.#count(`${method} ${taken.route}`, status);
      this.#time(ms);
      this.history.note(status, ms);
    }
    // Formatting a time is slow, and only the log needs the time of the request.
    if (this.#log === null) return;
    const { isGone: _, ...entry } = taken;
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
    const countUpTo = (index: number) => this.#within.slice(0, index + 1).reduce((sum, count) => sum + count, 0);
    return [
      ...BUCKET_SECONDS.map((most, index) => makeBucket(String(most), countUpTo(index))),
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

/** Returns a gauge. Without a value, the gauge is not shown in `/metrics`. */
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
