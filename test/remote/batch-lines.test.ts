import { describe, expect, it } from "vitest";
import { BATCH_TYPE } from "../../src/contract/batch.ts";
import type { WireResponse } from "../../src/contract/wire.ts";
import { readBatchAnswer, writeBatch } from "../../src/remote/batch-lines.ts";
import { responseInParts } from "../../src/contract/wire.ts";
import { fc } from "../property.ts";
import { answerLines, requestsOf } from "./take-batch.ts";

const RUNS = { numRuns: 300 };
const text = fc.string({ unit: "binary" });
const response = fc.record({
  status: fc.integer({ min: 200, max: 599 }),
  headers: fc.dictionary(fc.constantFrom("x-request-id", "retry-after", "content-type", "location"), text),
  body: fc.option(text.map((content) => JSON.stringify({ content }))).map((body) => body ?? ""),
});

const whole = (body: string): WireResponse => ({ status: 200, headers: { "content-type": BATCH_TYPE }, body });
const OK: WireResponse = { status: 200, headers: { "x-request-id": "req_1" }, body: '{"id":"doc_1"}' };
const GONE: WireResponse = { status: 204, headers: {}, body: "" };

function lines(first: unknown): string {
  return `${JSON.stringify(first)}\n{}\n`;
}

describe("the lines of a batch", () => {
  it("are two for each request, the second one empty where there is no body", () => {
    const headers = { authorization: "Bearer k" };
    const body = '{"path":"a.md","content":"x\\ny"}';
    const requests = [
      { method: "GET", path: "/v1/files/doc_1", headers, body: null },
      { method: "POST", path: "/v1/files", headers, body },
    ];
    expect(writeBatch(requests)).toBe(
      `{"method":"GET","path":"/v1/files/doc_1"}\n\n{"method":"POST","path":"/v1/files"}\n${body}\n`,
    );
  });

  it("bring each text through, whatever is in it", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        const requests = texts.map((content) => ({
          method: "POST",
          path: "/v1/files",
          headers: {},
          body: JSON.stringify({ content }),
        }));
        expect(requestsOf({ method: "POST", path: "/", headers: {}, body: writeBatch(requests) })).toEqual(requests);
      }),
      RUNS,
    );
  });
});

describe("the answer to a batch", () => {
  it("is that of each request, in their order", () => {
    fc.assert(
      fc.property(fc.array(response, { minLength: 1, maxLength: 5 }), (responses) => {
        expect(readBatchAnswer(whole(answerLines(responses)), responses.length)).toEqual({
          kind: "answers",
          responses,
        });
      }),
      RUNS,
    );
  });

  it("that is cut off anywhere is none", () => {
    const all = answerLines([OK, GONE, OK, GONE]);
    for (let length = 0; length < all.length; length++)
      expect([length, readBatchAnswer(whole(all.slice(0, length)), 4).kind]).toEqual([length, "bad"]);
    expect(readBatchAnswer(whole(all), 4).kind).toBe("answers");
  });

  it("measures a date by the clock of the whole answer", () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    const read = readBatchAnswer({ ...whole(answerLines([OK])), headers: { date, "retry-after": "9" } }, 1);
    expect(read).toEqual({ kind: "answers", responses: [{ ...OK, headers: { ...OK.headers, date } }] });
  });

  it("leaves no line in what brought it, which old promises may keep", () => {
    const lines = answerLines([OK, GONE]).match(/.*\n/g)!;
    const brought = responseInParts(200, {}, [...lines]);
    expect(readBatchAnswer(brought, 2)).toEqual({ kind: "answers", responses: [OK, GONE] });
    expect([brought.parts, brought.body, readBatchAnswer(brought, 2).kind]).toEqual([[], "", "bad"]);
  });

  const head = { at: 0, status: 200, headers: {} };
  it.each([
    ["fewer", answerLines([OK]), 2],
    ["more", answerLines([OK, OK, OK]), 2],
    ["nothing", "", 1],
    ["a swapped order", answerLines([OK, OK]).replace('"at":0', '"at":2').replace('"at":1', '"at":0'), 2],
    ["one place twice", answerLines([OK, OK]).replace('"at":1', '"at":0'), 2],
    ["a place as text", lines({ ...head, at: "0" }), 1],
    ["no place", lines({ status: 200, headers: {} }), 1],
    ["a status as text", lines({ ...head, status: "200" }), 1],
    ["no status", lines({ at: 0, headers: {} }), 1],
    ["a status that is none", lines({ ...head, status: 600 }), 1],
    ["a status before the answer", lines({ ...head, status: 100 }), 1],
    ["a status of a half", lines({ ...head, status: 200.5 }), 1],
    ["no headers", lines({ at: 0, status: 200 }), 1],
    ["headers in a row", lines({ ...head, headers: ["a"] }), 1],
    ["a header that is no text", lines({ ...head, headers: { "retry-after": 5 } }), 1],
    ["a line that is a list", lines([0, 200]), 1],
    ["a line that is a number", lines(7), 1],
    ["a line that is not JSON", "at 0: 200\n{}\n", 1],
    ["an empty line", "\n{}\n", 1],
    ["a web page", "<!doctype html>\n<p>Sign in</p>\n", 1],
    ["nested brackets", `${"[".repeat(5_000)}${"]".repeat(5_000)}\n{}\n`, 1],
    ["a line without end", lines({ ...head, headers: { a: "a".repeat(20_000) } }), 1],
    ["the lines of a whole text between", `${answerLines([OK])}\n${answerLines([OK])}`, 2],
  ])("with %s is none", (_name, body, count) => {
    expect(readBatchAnswer(whole(body), count)).toEqual({
      kind: "bad",
      why: expect.stringMatching(/^the answer to a batch is not understood: /),
    });
  });
});
