/**
 * A process that loads the service by open connections: each sends its next request when the last
 * one is answered. `node load.ts JSON` prints its measurements as JSON. It reads the file of known
 * documents, and writes it after edits.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Client } from "undici";
import { type KindName, type Known, requestsOf } from "./kinds.ts";

export type LoadOrder = {
  /** URLs of the service's processes, which the connections use in turn. */
  readonly urls: readonly string[];
  readonly keyFile: string;
  readonly knownFile: string;
  readonly kind: KindName;
  readonly connections: number;
  readonly seconds: number;
  readonly run: string;
};

export type LoadSeen = {
  readonly requests: number;
  readonly seconds: number;
  /** Median and percentiles of the answer times, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Unexpected answers by status. */
  readonly refused: Readonly<Record<string, number>>;
};

const order = JSON.parse(process.argv[2]!) as LoadOrder;
const known = JSON.parse(readFileSync(order.knownFile, "utf8")) as Known[];
const headers = { "x-api-key": readFileSync(order.keyFile, "utf8").trim(), "content-type": "application/json" };
const took: number[] = [];
const refused: Record<string, number> = {};

async function connection(mine: number, until: number): Promise<void> {
  const client = new Client(order.urls[mine % order.urls.length]!);
  const next = requestsOf(order.kind, { known, mine, connections: order.connections, run: order.run });
  for (let n = 0; performance.now() < until; n++) {
    const { method, path, body, heard } = next(n);
    const began = performance.now();
    const answer = await client.request({
      method,
      path,
      headers,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    took.push(performance.now() - began);
    if (answer.statusCode >= 300) refused[answer.statusCode] = (refused[answer.statusCode] ?? 0) + 1;
    else heard?.(text);
  }
  await client.close();
}

const began = performance.now();
const until = began + order.seconds * 1_000;
await Promise.all(Array.from({ length: order.connections }, (_, mine) => connection(mine, until)));
const seconds = (performance.now() - began) / 1_000;
took.sort((a, b) => a - b);
const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
if (order.kind === "edit") writeFileSync(order.knownFile, JSON.stringify(known));
const seen: LoadSeen = { requests: took.length, seconds, p50: at(0.5), p99: at(0.99), refused };
console.log(JSON.stringify(seen));
