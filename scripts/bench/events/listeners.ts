/** Those who only listen: what one more costs the service, and how soon all of them are told. */
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { EVENT_STREAM } from "../../../src/contract/events.ts";
import { EVENTS } from "../../../src/contract/routes.ts";
import type { Served } from "../serving/servers.ts";

/** Of one key: a company's mirrors have many. */
const A_KEY = 100;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export type ListenersRow = {
  readonly listeners: number;
  readonly kbEach: number;
  /** Shares of one core. */
  readonly cpuBefore: number;
  readonly cpuAtRest: number;
  readonly toAllMs: number;
};

export async function measureListeners(
  served: Served,
  data: string,
  count: number,
  restMs: number,
): Promise<ListenersRow> {
  const url = served.urls[0]!;
  const keys = await makeKeys(url, data, Math.ceil(count / A_KEY));
  await pause(2_000);
  const cpuBefore = await cpuDuring(served, restMs / 3);
  const before = served.used()!.rssMb;
  const streams: IncomingMessage[] = [];
  for (let n = 0; n < count; n += 50)
    streams.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, count - n) }, (_, i) => listen(url, keys[(n + i) % keys.length]!)),
      )),
    );
  await pause(3_000);
  const kbEach = ((served.used()!.rssMb - before) * 1_024) / count;
  const cpuAtRest = await cpuDuring(served, restMs);
  const toAllMs = await tellAll(url, readFileSync(served.keyFile, "utf8").trim(), streams);
  for (const stream of streams) stream.destroy();
  return { listeners: count, kbEach, cpuBefore, cpuAtRest, toAllMs };
}

async function cpuDuring(served: Served, ms: number): Promise<number> {
  const [before, began] = [served.used()!.cpuMs, performance.now()];
  await pause(ms);
  return (served.used()!.cpuMs - before) / (performance.now() - began);
}

async function makeKeys(url: string, data: string, count: number): Promise<string[]> {
  const headers = {
    "x-api-key": readFileSync(join(data, "admin-key"), "utf8").trim(),
    "content-type": "application/json",
  };
  const listed = (await (await fetch(`${url}/admin/workspaces`, { headers })).json()) as { data: { id: string }[] };
  const workspaceId = listed.data[0]!.id;
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({ workspaceId, grants: [{ on: null, level: "read" }], label: `listener ${n}` });
    const made = await fetch(`${url}/admin/keys`, { method: "POST", headers, body });
    keys.push(((await made.json()) as { key: string }).key);
  }
  return keys;
}

function listen(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { "x-api-key": key, accept: EVENT_STREAM };
    const request = get(`${url}${EVENTS}`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${EVENTS}: ${response.statusCode}`));
      response.resume();
      resolve(response);
    });
    request.on("error", reject);
  });
}

async function tellAll(url: string, key: string, streams: readonly IncomingMessage[]): Promise<number> {
  const path = `/told-to-all-${Date.now()}.md`;
  const told = streams.map(
    (stream) =>
      new Promise<void>((resolve) => {
        let text = "";
        stream.on("data", (bytes: Buffer) => {
          text += bytes.toString();
          if (text.includes(path)) resolve();
        });
      }),
  );
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ path, content: "# Told\n" });
  const answer = await fetch(`${url}/v1/files`, { method: "POST", headers, body });
  if (answer.status !== 201) throw new Error(`POST: ${answer.status}`);
  const since = performance.now();
  await Promise.all(told);
  return performance.now() - since;
}
