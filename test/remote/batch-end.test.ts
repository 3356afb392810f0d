import { describe, expect, it } from "vitest";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/ports/wire.ts";
import { judgeBatch } from "../../src/remote/batch-end.ts";
import { answer, LOST, NOT_SENT, problem } from "./scripted-wire.ts";
import { answerLines, batchAnswer } from "./take-batch.ts";

const REQUESTS: WireRequest[] = ["doc_1", "doc_2"].map((id) => ({
  method: "GET",
  path: `/v1/files/${id}`,
  headers: {},
  body: null,
}));
const HTML = { "content-type": "text/html" };
const page = (status: number) => answer(status, "<html>no</html>", HTML);

/** `same`: each gets it; `once more`: each is sent by itself; `lost`: each is, in other words. */
function judged(result: WireResult, isRead: boolean): string {
  const { results, standing } = judgeBatch(REQUESTS, result, isRead);
  if (results === null) return `once more, ${standing}`;
  expect(results).toHaveLength(2);
  if (results.every((each) => each === result)) return `same, ${standing}`;
  return `${results.every(({ kind }) => kind === "lost") ? "lost" : "its own"}, ${standing}`;
}

const each = [200, 404].map((status) => ({ status, headers: {}, body: "{}" }));
const NDJSON = { "content-type": "application/x-ndjson" };
const LINES = answerLines(each);

describe("the end of a batch, for its reads and for its writes", () => {
  it.each<[string, WireResult, string, string]>([
    ["was not sent", NOT_SENT, "same, good", "same, good"],
    ["was lost", LOST, "same, shaken", "same, shaken"],
    ["was answered", batchAnswer(each), "its own, good", "its own, good"],
    [
      "was answered, with a charset",
      answer(200, LINES, { "content-type": "Application/X-NDJSON; charset=utf-8" }),
      "its own, good",
      "its own, good",
    ],
    ["has too few lines", batchAnswer(each.slice(1)), "once more, gone", "lost, gone"],
    ["is of another type", answer(200, "", { "content-type": "application/json" }), "once more, gone", "lost, gone"],
    ["is a web page", page(200), "once more, gone", "lost, gone"],
    ["is no body", answer(204, ""), "once more, gone", "lost, gone"],
    ["is another success", answer(201, "", NDJSON), "once more, gone", "lost, gone"],
    ["is a redirect", answer(302, "", { location: "https://a.example/" }), "once more, gone", "same, gone"],
    ["the key is refused", problem(401, "unauthenticated"), "same, good", "same, good"],
    ["the workspace is gone", problem(404, "workspace_not_found"), "same, good", "same, good"],
    ["too many requests", problem(429, "rate_limited"), "same, good", "same, good"],
    ["the service is away", problem(503, "service_unavailable"), "same, good", "same, good"],
    ["a fault of the service", problem(500, "internal_error"), "same, shaken", "same, shaken"],
    ["there are no batches", problem(404, "not_found"), "once more, gone", "once more, gone"],
    ["there are none, in few words", answer(405, {}), "once more, gone", "once more, gone"],
    ["it is malformed, they say", problem(400, "invalid_request"), "once more, gone", "once more, gone"],
    ["it is too large, they say", answer(413, { message: "too large" }), "once more, gone", "once more, gone"],
    ["the key may not", problem(403, "forbidden"), "once more, gone", "once more, gone"],
    ["a proxy's 401", page(401), "once more, gone", "same, gone"],
    ["a proxy's 403", page(403), "once more, gone", "same, gone"],
    ["a proxy's 405", page(405), "once more, gone", "same, gone"],
    ["a proxy's 413", page(413), "once more, gone", "same, gone"],
    ["a proxy's 429", page(429), "same, good", "same, good"],
    ["a proxy's 502", page(502), "same, shaken", "same, shaken"],
    ["a proxy's 503", page(503), "same, shaken", "same, shaken"],
  ])("%s", (_name, result, reads, writes) => {
    expect([judged(result, true), judged(result, false)]).toEqual([reads, writes]);
  });
});
