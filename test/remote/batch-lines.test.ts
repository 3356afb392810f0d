import { describe, expect, it } from "vitest";
import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../../src/contract/batch.ts";
import { responseInParts, responseOfBytes, type WireResponse } from "../../src/contract/wire.ts";
import { unpackedText } from "../../src/model/packed-text.ts";
import { readBatchAnswer, readPackedAnswer, writeBatch } from "../../src/remote/batch-lines.ts";
import { fc } from "../property.ts";
import { answerLines, packedAnswer, requestsOf } from "./take-batch.ts";

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

const packedWhole = (body: string): WireResponse => ({
  status: 200,
  headers: { "content-type": PACKED_BATCH_TYPE },
  body,
});
const file = (content: string): WireResponse => ({
  status: 200,
  headers: { "x-request-id": "req_2" },
  body: JSON.stringify({ object: "file", id: "doc_1", content }),
});
const textsOf = (read: ReturnType<typeof readPackedAnswer>) =>
  read.kind === "bad" ? [read.why] : read.responses.map(({ text: one }) => one && unpackedText(one.take()));
const bodyOf = (responses: readonly WireResponse[]) => packedAnswer(responses).response.body;

describe("the answer to a batch with texts beside", () => {
  it("is that of each request, with each text as it was", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 2_000 }), { minLength: 1, maxLength: 5 }),
        (texts) => {
          const read = readPackedAnswer(packedWhole(bodyOf([OK, ...texts.map(file), GONE])), texts.length + 2);
          expect(textsOf(read)).toEqual([undefined, ...texts, undefined]);
        },
      ),
      RUNS,
    );
  });

  it("that is cut off anywhere is none", () => {
    const all = bodyOf([file("one\n".repeat(40)), OK, file("two")]);
    for (let length = 0; length < all.length; length++)
      expect([length, readPackedAnswer(packedWhole(all.slice(0, length)), 3).kind]).toEqual([length, "bad"]);
    expect(readPackedAnswer(packedWhole(all), 3).kind).toBe("answers");
  });

  it("with any byte changed is none, or another, and never an exception", () => {
    const all = bodyOf([file("one\n".repeat(40)), OK]);
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.nat(255), (at, byte) => {
        const changed = all.slice(0, at) + String.fromCharCode(byte) + all.slice(at + 1);
        textsOf(readPackedAnswer(packedWhole(changed), 2));
      }),
      { numRuns: 1_000 },
    );
  });

  it("leaves no byte in what brought it, which old promises may keep", () => {
    const brought = responseOfBytes(200, {}, Buffer.from(bodyOf([file("text")]), "latin1"));
    expect(textsOf(readPackedAnswer(brought, 1))).toEqual(["text"]);
    expect([brought.bytes!.length, brought.body, readPackedAnswer(brought, 1).kind]).toEqual([0, "", "bad"]);
  });

  const head = { at: 0, status: 200, headers: {} };
  it.each([
    ["more bytes than there are", { codec: 0, bytes: 9, size: 9 }, "text\n"],
    ["fewer bytes than there are", { codec: 0, bytes: 2, size: 2 }, "text\n"],
    ["another size of what is not packed", { codec: 0, bytes: 4, size: 5 }, "text\n"],
    ["no fewer bytes packed than not", { codec: 1, bytes: 4, size: 4 }, "text\n"],
    ["an unknown codec", { codec: 2, bytes: 4, size: 9 }, "text\n"],
    ["a size below nothing", { codec: 0, bytes: -1, size: -1 }, "\n"],
    ["a size of a half", { codec: 1, bytes: 4, size: 4.5 }, "text\n"],
    ["no size", { codec: 0, bytes: 4 }, "text\n"],
    ["a list in its place", [0, 4, 4], "text\n"],
  ])("that says of a text %s is none", (_name, beside, bytes) => {
    const body = `${JSON.stringify({ ...head, text: beside })}\n{}\n${bytes}`;
    expect(readPackedAnswer(packedWhole(body), 1)).toEqual({
      kind: "bad",
      why: expect.stringMatching(/^the answer to a batch is not understood: /),
    });
  });

  it("whose lines are not UTF-8 is none", () => {
    expect(readPackedAnswer(packedWhole(`${JSON.stringify(head)}\n{"a":"\xff"}\n`), 1).kind).toBe("bad");
  });
});
