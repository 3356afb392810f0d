import { BATCH_TYPE } from "../../src/contract/batch.ts";
import { BATCH } from "../../src/contract/routes.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/ports/remote.ts";

/** The service's side of batches, for doubles: what a batch asks, and how it is answered. */

export function isBatch({ path }: Pick<WireRequest, "path">): boolean {
  return path.endsWith(BATCH);
}

export type Answered = Extract<WireResult, { readonly kind: "answer" }>;

/** A request, or those of a batch with its headers. */
export function eachOf(request: WireRequest): readonly WireRequest[] {
  return isBatch(request) ? requestsOf(request) : [request];
}

/** The requests of a batch, with its headers. */
export function requestsOf({ headers, body }: WireRequest): WireRequest[] {
  const lines = (body ?? "").split("\n");
  if (lines.pop() !== "" || lines.length % 2 === 1) throw new Error("a batch has two whole lines for each request");
  return Array.from({ length: lines.length / 2 }, (_, n) => {
    const { method, path } = JSON.parse(lines[2 * n]!) as { method: string; path: string };
    return { method, path, headers, body: lines[2 * n + 1] === "" ? null : lines[2 * n + 1]! };
  });
}

/** As a service writes them. */
export function answerLines(responses: readonly WireResponse[]): string {
  return responses
    .map(({ status, headers, body }, at) => `${JSON.stringify({ at, status, headers })}\n${body}\n`)
    .join("");
}

export function batchAnswer(responses: readonly WireResponse[]): Answered {
  const headers = { "content-type": BATCH_TYPE };
  return { kind: "answer", response: { status: 200, headers, body: answerLines(responses) } };
}
