import { BATCH_HEADER } from "../../src/contract/batch.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/ports/wire.ts";
import { page, type Script } from "./scripted-wire.ts";
import { type Answered, batchAnswer, isBatch, requestsOf } from "./take-batch.ts";

/** Scripts of services that take batches. */

export const LIST: WireRequest = { method: "GET", path: "/v1/files?limit=1000", headers: {}, body: null };

/** A list that says that the service takes batches. */
export function listThatTells(most: number | string = 64): WireResult {
  const { response } = page([]) as Answered;
  return { kind: "answer", response: { ...response, headers: { ...response.headers, [BATCH_HEADER]: String(most) } } };
}

/** A service with batches, each of whose requests `one` answers; lists tell of it. */
export function batching(one: Script, most = 64): Script {
  let n = 0;
  return async (request) => {
    if (request.method === "GET" && request.path.includes("?")) return listThatTells(most);
    if (!isBatch(request)) return one(request, ++n);
    const results = await Promise.all(requestsOf(request).map((each) => one(each, ++n)));
    return batchAnswer(results.map((each) => (each as Answered).response));
  };
}
