/**
 * Counts the results of requests to the service. The counts continue when a linked folder is closed
 * and opened again.
 */

import type { WireResult } from "../../common/wire.ts";

/**
 * Result of a request, for counting. `4xx`: any 4xx except 429. `lost`: the request was sent, but
 * the answer is missing or incomplete. `not-sent`: the request did not reach the service.
 */
export type ExchangeEnd = "2xx" | "3xx" | "4xx" | "429" | "5xx" | "lost" | "not-sent" | "other";

export class ExchangeTally {
  readonly #counts = new Map<ExchangeEnd, number>();

  note(result: WireResult): void {
    const end = classifyResult(result);
    this.#counts.set(end, (this.#counts.get(end) ?? 0) + 1);
  }

  counts(): Readonly<Partial<Record<ExchangeEnd, number>>> {
    return Object.fromEntries(this.#counts);
  }
}

function classifyResult(result: WireResult): ExchangeEnd {
  if (result.kind === "lost" || result.kind === "not-sent") return result.kind;
  const { status } = result.response;
  if (status === 429) return "429";
  const family = `${Math.floor(status / 100)}xx`;
  return family === "2xx" || family === "3xx" || family === "4xx" || family === "5xx" ? family : "other";
}
