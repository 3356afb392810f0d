import { type BatchedAnswer, type BatchedRequest, MAX_BATCH_REQUESTS } from "../contract/batch.ts";
import { isJsonObject } from "../contract/json.ts";
import type { WireResponse } from "../contract/wire.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";

/** Reads the lines of a batch, and writes those of its answer. */

export type Batched = BatchedRequest & {
  /** As it was sent; null: none was. */
  readonly body: string | null;
};

/** LIMIT: characters of a path, as Node takes of a request line with its headers. */
const MAX_PATH_CHARACTERS = 16 * 1024;

/** @returns its requests; a batch that is malformed in one place is refused as a whole */
export function readBatch(text: string): readonly Batched[] | Refused {
  const batch: Batched[] = [];
  for (let at = 0; at < text.length; ) {
    if (batch.length === MAX_BATCH_REQUESTS) return malformed(`it has more than ${MAX_BATCH_REQUESTS} requests`);
    const first = text.indexOf("\n", at);
    const second = first < 0 ? -1 : text.indexOf("\n", first + 1);
    if (second < 0) return malformed("each request has two lines, and each line ends with a line feed");
    const request = readRequest(text.slice(at, first), batch.length);
    if (isRefused(request)) return request;
    batch.push({ ...request, body: second === first + 1 ? null : text.slice(first + 1, second) });
    at = second + 1;
  }
  return batch.length === 0 ? malformed("it has no request") : batch;
}

function readRequest(line: string, at: number): BatchedRequest | Refused {
  const value = parse(line);
  // With white space around it a carriage return would be part of some lines, and not of others.
  if (!isJsonObject(value) || !line.startsWith("{") || !line.endsWith("}")) {
    return malformed(`the first line of request ${at} is no JSON object`);
  }
  const { method, path } = value;
  if (typeof method !== "string" || typeof path !== "string" || Object.keys(value).length !== 2)
    return malformed(`the first line of request ${at} is not {"method": "…", "path": "…"}`);
  if (path.length > MAX_PATH_CHARACTERS) return malformed(`the path of request ${at} is too long`);
  return { method, path };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function malformed(why: string): Refused {
  return refuse("invalid_request", `The batch is malformed: ${why}; nothing of it was done.`);
}

/** The lines of the answer to request `at`, which has no text beside it. */
export function linesOf({ status, headers: all, body }: WireResponse, at: number): readonly string[] {
  return [JSON.stringify(firstLine({ status, headers: all }, at)), "\n", body, "\n"];
}

/** The answers to a batch as `PACKED_BATCH_TYPE`. Their texts are taken out. */
export function writePacked(answers: readonly WireResponse[]): Buffer {
  const pieces: Buffer[] = [];
  let lines = "";
  for (const [at, answer] of answers.entries()) {
    if (answer.text === undefined) {
      lines += linesOf(answer, at).join("");
      continue;
    }
    const { codec, size, bytes } = answer.text.take();
    const first: BatchedAnswer = { ...firstLine(answer, at), text: { codec, bytes: bytes.length, size } };
    pieces.push(Buffer.from(`${lines}${JSON.stringify(first)}\n${answer.body}\n`), bytes);
    lines = "\n";
  }
  pieces.push(Buffer.from(lines));
  return Buffer.concat(pieces);
}

function firstLine({ status, headers: all }: Pick<WireResponse, "status" | "headers">, at: number): BatchedAnswer {
  const { "cache-control": _, ...headers } = all;
  return { at, status, headers };
}
