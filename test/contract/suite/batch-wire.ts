import assert from "node:assert/strict";
import type { BatchedAnswer } from "../../../src/contract/batch.ts";
import type { FileResource } from "../../../src/contract/resources.ts";
import type { Api, Json, Reply } from "./world.ts";

/** Many requests to `POST /v1/batch`, each with an answer as one by itself has. */

/** @param body an object is sent as JSON, a string as it is */
export type Asked = readonly [method: string, path: string, body?: object | string];

export const create = (path: string, content = "text\n"): Asked => ["POST", "/v1/files", { path, content }];

export const put = ({ id, lastChangeId: baseChangeId }: FileResource, content: string): Asked => [
  "PUT",
  `/v1/files/${id}/content`,
  { baseChangeId, content },
];

export function linesOf(asked: readonly Asked[]): string {
  return asked.map(([method, path, body]) => `${JSON.stringify({ method, path })}\n${textOf(body)}\n`).join("");
}

function textOf(body: Asked[2]): string {
  if (body === undefined) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** @throws unless the batch itself is answered well, in its form */
export async function askTogether(api: Api, asked: readonly Asked[]): Promise<Reply[]> {
  const answered = await api.batch(linesOf(asked));
  assert.equal(answered.status, 200, answered.text);
  assert.match(answered.headers["content-type"] ?? "", /^application\/x-ndjson$/);
  assert.ok(answered.headers["x-request-id"]);
  return repliesIn(answered.text, asked.length);
}

/** @throws unless they are so many, in their order */
export function repliesIn(text: string, count: number): Reply[] {
  const lines = text.split("\n");
  assert.equal(lines.pop(), "", "the last line has no line feed");
  assert.equal(lines.length, 2 * count);
  return Array.from({ length: count }, (_, at) => replyOf(JSON.parse(lines[2 * at]!), lines[2 * at + 1]!, at));
}

function replyOf({ at, status, headers, ...more }: BatchedAnswer, text: string, place: number): Reply {
  assert.deepEqual([at, more], [place, {}]);
  const json: Json = text === "" ? null : JSON.parse(text);
  return { status, headers, text, json };
}
