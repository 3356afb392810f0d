/**
 * Keeps figures about the requests of the last day in memory, for the charts of the overview page.
 * If the operator has no monitoring, nothing else records past figures.
 */

import type { ServiceFigures } from "../figures.ts";

const MINUTE_MS = 60_000;
/** LIMIT: number of minutes that are remembered: one day. A minute takes about 0.5 kB. */
const MAX_MINUTES = 1_440;
/**
 * Upper end of the first histogram bucket, in milliseconds. The end of each other bucket is 25 %
 * above the end before it.
 */
const FIRST_BUCKET_MS = 0.5;
const BUCKET_RATIO = 1.25;
/** Number of histogram buckets. The last bucket contains all durations from 17 s on. */
const DURATION_BUCKETS = 48;

type AnswerCounts = { answered: number; refused: number; failed: number };

type MinuteCounts = AnswerCounts & {
  /** Minutes since the epoch; identifies this minute. */
  readonly minute: number;
  /** Number of answers in each histogram bucket, by duration. */
  readonly durations: Uint32Array;
  figures: ServiceFigures | null;
};

/**
 * Numbers of answers in a span of time, by status. `answered`: below 400; `refused`: 4xx; `failed`:
 * 5xx.
 */
export type RequestSpan = Readonly<AnswerCounts> & {
  /** Start of the span, in milliseconds since the epoch. */
  readonly at: number;
  /**
   * Milliseconds in which half of the answers were sent; `p95`: 95 % of them. Both may be up to 25
   * % too high, because durations are counted in buckets. Null if there was no answer.
   */
  readonly median: number | null;
  readonly p95: number | null;
  /** Latest figures of the service in the span; null if no figures were read. */
  readonly figures: ServiceFigures | null;
};

export class RequestHistory {
  readonly #now: () => number;
  readonly #readFigures: () => Promise<ServiceFigures | null>;
  readonly #minutes: MinuteCounts[] = [];

  /**
   * @param now returns milliseconds since the epoch
   * @param readFigures returns the current figures of the service, or null if it has none. Must not
   * reject. Called once in each minute with requests
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
    if (ms !== null) minute.durations[findGroup(ms)]!++;
  }

  #current(): MinuteCounts {
    const now = Math.floor(this.#now() / MINUTE_MS);
    const lastMinute = this.#minutes.at(-1);
    // If the clock was set back, new requests count in the latest minute.
    if (lastMinute !== undefined && lastMinute.minute >= now) return lastMinute;
    const durations = new Uint32Array(DURATION_BUCKETS);
    const minute: MinuteCounts = { minute: now, answered: 0, refused: 0, failed: 0, durations, figures: null };
    this.#minutes.push(minute);
    if (this.#minutes.length > MAX_MINUTES) this.#minutes.shift();
    void this.#readFigures().then((figures) => {
      minute.figures = figures;
    });
    return minute;
  }

  /** Returns `count` spans of `minutes` minutes each. The last span contains the current minute. */
  spans({ minutes, count }: { readonly minutes: number; readonly count: number }): RequestSpan[] {
    const endSpan = Math.floor(this.#now() / MINUTE_MS / minutes) + 1;
    const groups = Map.groupBy(this.#minutes, ({ minute }) => Math.floor(minute / minutes));
    return Array.from({ length: count }, (_, n) => {
      const span = endSpan - count + n;
      return makeSpan(span * minutes * MINUTE_MS, groups.get(span) ?? []);
    });
  }
}

function makeSpan(at: number, minutes: readonly MinuteCounts[]): RequestSpan {
  const sum = (countIn: (minute: MinuteCounts) => number) =>
    minutes.reduce((total, minute) => total + countIn(minute), 0);
  const durations = Array.from({ length: DURATION_BUCKETS }, (_, group) => sum((minute) => minute.durations[group]!));
  return {
    at,
    answered: sum(({ answered }) => answered),
    refused: sum(({ refused }) => refused),
    failed: sum(({ failed }) => failed),
    median: findQuantile(durations, 0.5),
    p95: findQuantile(durations, 0.95),
    figures: minutes.findLast(({ figures }) => figures !== null)?.figures ?? null,
  };
}

function findGroup(ms: number): number {
  const group = Math.ceil(Math.log(Math.max(ms, FIRST_BUCKET_MS) / FIRST_BUCKET_MS) / Math.log(BUCKET_RATIO));
  return Math.min(group, DURATION_BUCKETS - 1);
}

/**
 * Returns the milliseconds in which a share of the answers were sent: the upper end of a bucket.
 * Null if there are no answers.
 */
function findQuantile(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  let countSoFar = 0;
  const group = durations.findIndex((count) => {
    countSoFar += count;
    return count > 0 && countSoFar >= total * share;
  });
  return group < 0 ? null : FIRST_BUCKET_MS * BUCKET_RATIO ** group;
}
