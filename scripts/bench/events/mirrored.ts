/** A mirror in a process of its own, and how long a change on the service takes to its disk. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROJECT, track } from "../child.ts";

type Service = { readonly url: string; readonly key: string };
type Document = { readonly id: string; readonly path: string };
type Live = { readonly content: string; readonly lastChangeId: string };

const ENTRY = "src/cli/entry.mjs";
/** An edit that is not here by then will not come. */
const MOST_MS = 60_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function linkMirror(root: string, url: string, key: string): Promise<void> {
  mkdirSync(root);
  const init = spawn(process.execPath, [ENTRY, "init", root, "--url", url, "--yes"], {
    cwd: PROJECT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, MDMIRROR_API_KEY: key },
  });
  const [code] = await once(init, "exit");
  if (code !== 0) throw new Error(`init ended with ${code}`);
}

/** @returns milliseconds from the service's answer to the new bytes on the disk */
export async function timeEdits(root: string, service: Service, edits: number): Promise<number[]> {
  const watching = spawn(process.execPath, [ENTRY, "watch", root, "--json"], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, MDMIRROR_API_KEY: service.key },
    detached: true,
  });
  track(watching);
  try {
    const lines = createInterface({ input: watching.stdout });
    await new Promise<void>((resolve) => lines.on("line", (line) => JSON.parse(line).kind === "run" && resolve()));
    await pause(3_000);
    const documents = await list(service);
    const took: number[] = [];
    for (let n = 0; n < edits; n++) {
      took.push(await timeEdit(root, service, documents[(n * 97) % documents.length]!, n));
      await pause(100 + Math.random() * 400);
    }
    return took;
  } finally {
    const ended = once(watching, "exit");
    watching.kill("SIGTERM");
    await ended;
  }
}

async function timeEdit(root: string, { url, key }: Service, { id, path }: Document, n: number): Promise<number> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const live = (await (await fetch(`${url}/v1/files/${id}`, { headers })).json()) as Live;
  const content = `${live.content}\nedited on the service, ${n}\n`;
  const body = JSON.stringify({ baseChangeId: live.lastChangeId, content });
  const answer = await fetch(`${url}/v1/files/${id}/content`, { method: "PUT", headers, body });
  if (answer.status !== 200) throw new Error(`PUT: ${answer.status}`);
  const since = performance.now();
  const file = join(root, path);
  while (performance.now() - since < MOST_MS) {
    if (textAt(file) === content) return performance.now() - since;
    await pause(1);
  }
  throw new Error(`${path} was not here within ${MOST_MS} ms`);
}

/** @returns null for the moment in which the file is being replaced */
function textAt(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

async function list({ url, key }: Service): Promise<Document[]> {
  const answer = await fetch(`${url}/v1/files?limit=1000`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { data: Document[] }).data;
}
