/**
 * Many mirrors at rest, simulated in one process, and somebody who edits. `node mirrors.ts JSON`
 * prints what was seen as JSON. A mirror is its traffic alone: it lists everything, 1,000 a page, as
 * often as a budget of 60 requests a minute allows, each 5 s at most; one that listens keeps a
 * stream of events open, and lists each minute. Nothing is read, merged or written.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Client, type Dispatcher } from "undici";
import { type Known, requestsOf } from "./kinds.ts";

export type MirrorsOrder = {
  readonly urls: readonly string[];
  readonly keyFile: string;
  readonly knownFile: string;
  readonly mirrors: number;
  readonly listen: boolean;
  readonly seconds: number;
  readonly editsPerSecond: number;
};

export type MirrorsSeen = {
  readonly seconds: number;
  readonly requests: number;
  /** Answered 503, and sent again later. */
  readonly refused: number;
  /** Milliseconds, sorted: of one page, of an edit, and from an edit's answer to a mirror's event. */
  readonly pages: readonly number[];
  readonly edits: readonly number[];
  readonly told: readonly number[];
  /** The service has no events: nobody listened. */
  readonly isDeaf: boolean;
};

const order = JSON.parse(process.argv[2]!) as MirrorsOrder;
const known = JSON.parse(readFileSync(order.knownFile, "utf8")) as Known[];
const headers = { "x-api-key": readFileSync(order.keyFile, "utf8").trim(), "content-type": "application/json" };
const pages: number[] = [];
const edits: number[] = [];
const told: number[] = [];
/** When each change was answered, or first told of, by its id. */
const seenAt = new Map<string, { answered: number | null; readonly told: number[] }>();
let requests = 0;
let refused = 0;
let isDeaf = false;

const began = performance.now();
const until = began + order.seconds * 1_000;
const PAGE_BUDGET_MS = 1_000;
const LEAST_PAUSE_MS = 5_000;
const LISTENING_PAUSE_MS = 60_000;

const clientOf = (n: number) => new Client(order.urls[n % order.urls.length]!, { bodyTimeout: 0 });
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Again after a 503, as a mirror does. */
async function ask(client: Client, options: Dispatcher.RequestOptions, took: number[]): Promise<string> {
  const at = performance.now();
  const answer = await client.request(options);
  const text = await answer.body.text();
  requests++;
  if (answer.statusCode === 503) {
    refused++;
    await rest(Number(answer.headers["retry-after"] ?? 1) * 1_000);
    return ask(client, options, took);
  }
  took.push(performance.now() - at);
  if (answer.statusCode >= 300) throw new Error(`${options.path} was answered ${answer.statusCode}: ${text}`);
  return text;
}

/** @returns how many pages there were */
async function listAll(client: Client): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null; count++) {
    const path = `/v1/files?path_prefix=/&limit=1000${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const text = await ask(client, { method: "GET", path, headers }, pages);
    cursor = (JSON.parse(text) as { nextCursor: string | null }).nextCursor;
  }
  return count;
}

async function poll(n: number): Promise<void> {
  const client = clientOf(n);
  const pause = order.listen && !isDeaf ? LISTENING_PAUSE_MS : LEAST_PAUSE_MS;
  await rest(Math.random() * Math.min(pause, until - performance.now()));
  while (performance.now() < until) {
    const at = performance.now();
    const count = await listAll(client);
    const due = at + Math.max(pause, count * PAGE_BUDGET_MS);
    await rest(Math.max(0, Math.min(due, until) - performance.now()));
  }
  await client.close();
}

async function listen(n: number): Promise<void> {
  const client = clientOf(n);
  const answer = await client.request({ method: "GET", path: "/v1/events", headers });
  if (answer.statusCode !== 200) {
    isDeaf = true;
    return client.destroy();
  }
  const over = setTimeout(() => void client.destroy(), until - performance.now());
  let rest = "";
  try {
    for await (const part of answer.body.setEncoding("utf8")) {
      const lines = (rest + part).split("\n");
      rest = lines.pop()!;
      for (const line of lines) hear(line);
    }
  } catch (error) {
    // It is ended by ourselves, in the middle of its answer.
    if (performance.now() < until) throw error;
  }
  clearTimeout(over);
}

function hear(line: string): void {
  const change = /^data:.*"lastChangeId":"(chg_\w+)"/.exec(line)?.[1];
  if (change !== undefined) changeOf(change).told.push(performance.now());
}

function changeOf(id: string) {
  const one = seenAt.get(id) ?? { answered: null, told: [] };
  seenAt.set(id, one);
  return one;
}

async function edit(): Promise<void> {
  const client = clientOf(0);
  const next = requestsOf("edit", { known, mine: 0, connections: 1, run: `beside-${order.mirrors}-${order.listen}` });
  for (let n = 0; performance.now() < until - 1_000; n++) {
    const { method, path, body, heard } = next(n);
    const options = { method: method as Dispatcher.HttpMethod, path, headers, body: JSON.stringify(body) };
    const text = await ask(client, options, edits);
    heard?.(text);
    const { file } = JSON.parse(text) as { file: { lastChangeId: string } };
    changeOf(file.lastChangeId).answered = performance.now();
    await rest(1_000 / order.editsPerSecond);
  }
  await client.close();
}

const all = Array.from({ length: order.mirrors }, (_, n) => n);
const listening = order.listen ? all.map(listen) : [];
// Whoever listens has its stream before the first edit.
await rest(order.listen ? 1_000 : 0);
await Promise.all([...listening, ...all.map(poll), edit()]);
for (const { answered, told: heard } of seenAt.values()) {
  if (answered !== null) told.push(...heard.map((at) => Math.max(0, at - answered)));
}
const sorted = (took: number[]) => took.map((ms) => Math.round(ms * 100) / 100).sort((a, b) => a - b);
writeFileSync(order.knownFile, JSON.stringify(known));
const seen: MirrorsSeen = {
  seconds: (performance.now() - began) / 1_000,
  requests,
  refused,
  pages: sorted(pages),
  edits: sorted(edits),
  told: sorted(told),
  isDeaf,
};
console.log(JSON.stringify(seen));
