import type { BatchedRequest } from "../contract/batch.ts";
import { isJsonObject, type JsonObject, member } from "../contract/json.ts";
import { takeParts, type WireHeaders, type WireRequest, type WireResponse } from "../contract/wire.ts";
import { parseJson } from "./json.ts";

/** Writes the lines of a batch, and reads those of its answer. */

/** With its line feed, which the last one may lack. */
const LINE = /[^\n]*\n|[^\n]+$/g;
// LIMIT: of the line that comes before a body, in characters.
const MAX_HEAD = 16_384;
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

type BatchAnswers =
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

function bad(why: string): { readonly kind: "bad"; readonly why: string } {
  return { kind: "bad", why: `the answer to a batch is not understood: ${why}` };
}

type Head = { readonly status: number; readonly headers: WireHeaders };

/** @returns null for a line that is not the first one of the answer to request `at` */
function readHead(line: string, at: number): Head | null {
  const json = parseJson(line);
  if (json.kind !== "json" || !isJsonObject(json.value) || member(json.value, "at") !== at) return null;
  const status = member(json.value, "status");
  const headers = member(json.value, "headers");
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599) return null;
  return isJsonObject(headers) && areHeaders(headers) ? { status, headers } : null;
}

function areHeaders(headers: JsonObject): headers is WireHeaders {
  return Object.values(headers).every((value) => typeof value === "string");
}

function pick(headers: WireHeaders, names: readonly string[]): WireHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
