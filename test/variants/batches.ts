import { BATCH_HEADER, BATCH_TYPE } from "../../src/contract/batch.ts";
import type { WireHeaders, WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { isRefused, refuse, toWire } from "../../src/server/answer.ts";
import { isBatch } from "../../src/server/batch.ts";
import { readBatch } from "../../src/server/batch-lines.ts";
import { DOCS_BASE, REQUEST_ID } from "./requests.ts";

/** Batches of a deployment that answers single requests otherwise. */

type Answer = (request: WireRequest) => Promise<WireResponse>;

/**
 * Each request of a batch is answered as by itself, one after the other.
 * @throws what any of them throws, once all were answered: their answers are lost together
 */
export function takingBatches(answer: Answer): Answer {
  return async (request) => {
    if (!isBatch(request)) return answer(request);
    const batch = readBatch(request.body ?? "");
    if (isRefused(batch)) return toWire(batch, REQUEST_ID, DOCS_BASE);
    const ended = await eachInTurn(batch.map((one) => () => answer({ ...one, headers: request.headers })));
    const answers = ended.map((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
    // What is no line is an answer of somebody before the service, to the exchange.
    const instead = answers.find(({ body }) => body.includes("\n"));
    if (instead !== undefined) return instead;
    const headers = { "content-type": BATCH_TYPE, "x-request-id": REQUEST_ID, "cache-control": "no-store" };
    return { status: 200, headers, body: answers.map(linesOf).join("") };
  };
}

async function eachInTurn<T>(works: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const ended: PromiseSettledResult<T>[] = [];
  for (const work of works) ended.push(...(await Promise.allSettled([work()])));
  return ended;
}

function linesOf({ status, headers, body }: WireResponse, at: number): string {
  return `${JSON.stringify({ at, status, headers: without(headers, "cache-control") })}\n${body}\n`;
}

/** A deployment that knows none, and says of none. */
export function withoutBatches(answer: Answer): Answer {
  return async (request) => {
    if (isBatch(request)) return toWire(refuse("not_found", "There is no such endpoint."), REQUEST_ID, DOCS_BASE);
    const response = await answer(request);
    return { ...response, headers: without(response.headers, BATCH_HEADER) };
  };
}

function without(headers: WireHeaders, name: string): WireHeaders {
  const { [name]: _, ...rest } = headers;
  return rest;
}
