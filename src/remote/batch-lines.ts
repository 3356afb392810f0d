import { isUtf8 } from "node:buffer";
import type { BatchedRequest, BatchedText } from "../contract/batch.ts";
import { isJsonObject, type JsonObject, member } from "../contract/json.ts";
import { CODEC } from "../contract/packed-text.ts";
import {
  takeBytes,
  takeParts,
  TextBeside,
  type WireHeaders,
  type WireRequest,
  type WireResponse,
} from "../contract/wire.ts";
import { parseJson } from "./json.ts";

/** Writes the lines of a batch, and reads those of its answer. */

/** With its line feed, which the last one may lack. */
const LINE = /[^\n]*\n|[^\n]+$/g;
// LIMIT: of the line that comes before a body, in characters.
const MAX_HEAD = 16_384;
const LINE_FEED = 0x0a;
/** Headers of the whole answer that say something of each single one. */
const COMMON = ["date"] as const;

/** @param requests whose bodies have no line feed; their headers are those of the batch */
export function writeBatch(requests: readonly WireRequest[]): string {
  let text = "";
  for (const { method, path, body } of requests) {
    const head: BatchedRequest = { method, path };
    text += `${JSON.stringify(head)}\n${body ?? ""}\n`;
  }
  return text;
}

export type BatchAnswers =
  | { readonly kind: "answers"; readonly responses: readonly WireResponse[] }
  | { readonly kind: "bad"; readonly why: string };

/**
 * Reads the answers to `count` requests. All of them, in their order, or none: where one line is
 * not as it must be, nothing says which answer belongs to which request. The lines are taken out of
 * the response.
 */
export function readBatchAnswer(response: WireResponse, count: number): BatchAnswers {
  const responses: WireResponse[] = [];
  const common = pick(response.headers, COMMON);
  const lines = takeParts(response) ?? response.body.match(LINE) ?? [];
  for (let at = 0; at < lines.length; at += 2) {
    if (responses.length === count) return bad("it has too many lines");
    const [first, second] = [lines[at]!, lines[at + 1]];
    if (second?.endsWith("\n") !== true) return bad("it is cut off");
    const head = first.length > MAX_HEAD ? null : readHead(first, responses.length);
    if (head === null) return bad("a line of it is not understood");
    responses.push({ status: head.status, headers: { ...common, ...head.headers }, body: second.slice(0, -1) });
  }
  return responses.length === count ? { kind: "answers", responses } : bad("it has too few lines");
}

/** The same of an answer as `PACKED_BATCH_TYPE`, with its texts. */
export function readPackedAnswer(response: WireResponse, count: number): BatchAnswers {
  const responses: WireResponse[] = [];
  const common = pick(response.headers, COMMON);
  const bytes = takeBytes(response) ?? Buffer.from(response.body, "latin1");
  for (let at = 0; at < bytes.length; ) {
    if (responses.length === count) return bad("it has too many lines");
    const next = readPacked(bytes, at, responses.length);
    if (typeof next === "string") return bad(next);
    const { head, body, text } = next;
    const answer = { status: head.status, headers: { ...common, ...head.headers }, body };
    responses.push(text === null ? answer : { ...answer, text });
    at = next.end;
  }
  return responses.length === count ? { kind: "answers", responses } : bad("it has too few lines");
}

type PackedPart = {
  readonly head: Head;
  readonly body: string;
  readonly text: TextBeside | null;
  readonly end: number;
};

/** @returns the answer to request `place`, which begins at `at`, or why there is none */
function readPacked(bytes: Buffer, at: number, place: number): PackedPart | string {
  const first = bytes.indexOf(LINE_FEED, at);
  const second = first === -1 ? -1 : bytes.indexOf(LINE_FEED, first + 1);
  if (second === -1) return "it is cut off";
  const head = first - at > MAX_HEAD ? null : readHead(bytes.toString("utf8", at, first), place);
  const line = bytes.subarray(first + 1, second);
  if (head === null || !isUtf8(line)) return "a line of it is not understood";
  const [body, begin] = [line.toString("utf8"), second + 1];
  if (head.text === undefined) return { head, body, text: null, end: begin };
  const { codec, size } = head.text;
  const end = begin + head.text.bytes;
  if (bytes[end] !== LINE_FEED) return "it is cut off";
  return { head, body, text: new TextBeside({ codec, size, bytes: bytes.subarray(begin, end) }), end: end + 1 };
}

function bad(why: string): { readonly kind: "bad"; readonly why: string } {
  return { kind: "bad", why: `the answer to a batch is not understood: ${why}` };
}

type Head = { readonly status: number; readonly headers: WireHeaders; readonly text?: BatchedText };

/** @returns null for a line that is not the first one of the answer to request `at` */
function readHead(line: string, at: number): Head | null {
  const json = parseJson(line);
  if (json.kind !== "json" || !isJsonObject(json.value) || member(json.value, "at") !== at) return null;
  const status = member(json.value, "status");
  const headers = member(json.value, "headers");
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599) return null;
  if (!isJsonObject(headers) || !areHeaders(headers)) return null;
  const text = member(json.value, "text");
  if (text === undefined) return { status, headers };
  return isText(text) ? { status, headers, text } : null;
}

function isText(value: unknown): value is BatchedText {
  if (!isJsonObject(value)) return false;
  const [codec, bytes, size] = [member(value, "codec"), member(value, "bytes"), member(value, "size")];
  if (!isCount(bytes) || !isCount(size)) return false;
  return codec === CODEC.plain ? bytes === size : codec === CODEC.zstd && bytes < size;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areHeaders(headers: JsonObject): headers is WireHeaders {
  return Object.values(headers).every((value) => typeof value === "string");
}

function pick(headers: WireHeaders, names: readonly string[]): WireHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
