import { expect, it, onTestFinished } from "vitest";
import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../../src/contract/batch.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { unpackedText } from "../../src/model/packed-text.ts";
import { readBatchAnswer, readPackedAnswer } from "../../src/remote/batch-lines.ts";
import { createWire } from "../../src/remote/wire.ts";
import { startHttp } from "../../src/server/http.ts";
import { linesOf, type Asked } from "../contract/suite/batch-wire.ts";
import { openService } from "./fixture.ts";

/** Texts that stand beside their answers, as the store has them. */

const LONG = `${"größer – 𝄞, and so on; ".repeat(200)}\r\n`;
const TEXTS = ["", "short\n", "\ufeffwith a mark\r\n", "x".repeat(1_024), LONG];

async function ground() {
  const opened = await openService();
  const files = [];
  for (const [n, text] of TEXTS.entries()) files.push(await opened.api.file(`n${n}.md`, text));
  const asked: Asked[] = files.map(({ id }) => ["GET", `/v1/files/${id}`]);
  return { ...opened, files, asked, ask: asking(opened.key) };
}

function asking(key: string) {
  return (lines: string, accept: string): WireRequest => ({
    method: "POST",
    path: "/v1/batch",
    headers: { authorization: `Bearer ${key}`, "content-type": BATCH_TYPE, accept },
    body: lines,
  });
}

/** The answers with their texts where those of JSON have them. */
function answersIn(response: WireResponse, count: number): unknown[] {
  const read =
    response.headers["content-type"] === PACKED_BATCH_TYPE
      ? readPackedAnswer(response, count)
      : readBatchAnswer({ status: 200, headers: {}, body: response.body }, count);
  if (read.kind === "bad") throw new Error(read.why);
  return read.responses.map(({ status, body, text }) => {
    const json = body === "" ? null : JSON.parse(body);
    return { status, json: text === undefined ? json : { ...json, content: unpackedText(text.take()) } };
  });
}

it.each(["in process", "over HTTP"])("are those of the other form, %s", async (how) => {
  const { service, asked, ask } = await ground();
  const server = how === "over HTTP" ? await startHttp(service) : null;
  const wire = server === null ? null : createWire({ baseUrl: server.url });
  onTestFinished(async () => {
    await wire?.close();
    await server?.close();
  });
  const send = async (request: WireRequest): Promise<WireResponse> => {
    if (wire === null) return service.handle(request);
    const result = await wire.send(request, { deadlineMs: 10_000, maxBytes: 1_000_000 });
    if (result.kind !== "answer") throw new Error(result.why);
    return result.response;
  };
  const others: Asked[] = [
    ["GET", "/v1/files/doc_00000000000000"],
    ["POST", "/v1/files", { path: "made.md", content: LONG }],
    ["GET", "/v1/files?path=/n1.md"],
  ];
  const count = asked.length + others.length;
  const packed = await send(ask(linesOf([...asked, ...others]), `${PACKED_BATCH_TYPE}, ${BATCH_TYPE}`));
  expect(packed.headers["content-type"]).toBe(PACKED_BATCH_TYPE);
  const answers = answersIn(packed, count);
  expect(answers.slice(0, TEXTS.length)).toEqual(
    TEXTS.map((content) => ({ status: 200, json: expect.objectContaining({ object: "file", content }) })),
  );
  const lines = await send(ask(linesOf(asked), BATCH_TYPE));
  expect(lines.headers["content-type"]).toBe(BATCH_TYPE);
  expect(answers.slice(0, TEXTS.length)).toEqual(answersIn(lines, asked.length));
  expect(answers.slice(TEXTS.length)).toMatchObject([{ status: 404 }, { status: 201 }, { status: 400 }]);
});

it("are fewer bytes than the texts where they are long", async () => {
  const { service, asked, ask } = await ground();
  const response = await service.handle(ask(linesOf(asked.slice(-1)), PACKED_BATCH_TYPE));
  expect(response.bytes!.length).toBeLessThan(Buffer.byteLength(LONG) / 2);
});

it("stand beside no answer to a key that may not read the file", async () => {
  const { service, api, workspaceId, asked, ask } = await ground();
  const elsewhere = await api.post("/v1/folders", { path: "/elsewhere" });
  const grants = [{ on: elsewhere.json.id, level: "full" }] as const;
  const made = await service.admin.createKey({ workspaceId, grants });
  if (!("key" in made)) throw new Error(made.detail);
  const request = ask(linesOf(asked), PACKED_BATCH_TYPE);
  const headers = { ...request.headers, authorization: `Bearer ${made.key}` };
  const answers = answersIn(await service.handle({ ...request, headers }), asked.length);
  expect(answers).toMatchObject(TEXTS.map(() => ({ status: 404, json: { code: "file_not_found" } })));
});

it("are the live ones, whatever was kept of earlier answers", async () => {
  const { service, api, files, ask } = await ground();
  const read = async () => {
    const lines = linesOf([["GET", `/v1/files/${files[1]!.id}`]]);
    return answersIn(await service.handle(ask(lines, PACKED_BATCH_TYPE)), 1);
  };
  await api.read(files[1]!.id);
  expect(await read()).toMatchObject([{ json: { content: "short\n" } }]);
  await api.edit(files[1]!.id, files[1]!.lastChangeId, "edited\n");
  expect(await read()).toMatchObject([{ json: { content: "edited\n" } }]);
});
