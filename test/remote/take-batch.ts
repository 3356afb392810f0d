import { zstdCompressSync } from "node:zlib";
import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../../src/contract/batch.ts";
import { CODEC, type PackedText } from "../../src/contract/packed-text.ts";
import { BATCH } from "../../src/contract/routes.ts";
import { TextBeside, type WireRequest, type WireResponse } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/ports/wire.ts";
import { writePacked } from "../../src/server/batch-lines.ts";

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

/** The same with the texts of files beside them, each packed where that makes it shorter. */
export function packedAnswer(responses: readonly WireResponse[]): Answered {
  const headers = { "content-type": PACKED_BATCH_TYPE };
  const body = writePacked(responses.map(withTextBeside)).toString("latin1");
  return { kind: "answer", response: { status: 200, headers, body } };
}

function withTextBeside(response: WireResponse): WireResponse {
  if (response.status !== 200) return response;
  const { content, ...file } = JSON.parse(response.body) as { object?: string; content?: string };
  if (file.object !== "file" || content?.isWellFormed() !== true) return response;
  return { ...response, body: JSON.stringify(file), text: new TextBeside(packed(content)) };
}

export function packed(content: string): PackedText {
  const plain = Buffer.from(content, "utf8");
  const zipped = zstdCompressSync(plain);
  const [codec, bytes] = zipped.length < plain.length ? [CODEC.zstd, zipped] : [CODEC.plain, plain];
  return { codec, size: plain.length, bytes };
}
