/** A mirror in a process of its own, and how long a change on the service takes to its disk. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killLiving, PROJECT, track } from "../child.ts";

export type Service = { readonly url: string; readonly key: string };
export type Document = { readonly id: string; readonly path: string };
type Live = { readonly content: string; readonly lastChangeId: string };

const ENTRY = "src/cli/entry.mjs";
/** An edit that is not here by then will not come. */
const MOST_MS = 600_000;
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

/** Milliseconds from the service's answer to the new bytes on the disk. */
export async function timeEdits(root: string, service: Service, edits: number): Promise<number[]> {
  return whileWatching(root, service, async () => {
    const documents = await list(service, "");
    const took: number[] = [];
    for (let n = 0; n < edits; n++) {
      took.push(await timeEdit(root, service, documents[(n * 97) % documents.length]!, n));
      await pause(100 + Math.random() * 400);
    }
    return took;
  });
}

/** Does `work` while `mdmirror watch` keeps the folder, in a process of its own. */
export async function whileWatching<T>(root: string, service: Service, work: (pid: number) => Promise<T>): Promise<T> {
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
    return await work(watching.pid!);
  } finally {
    const ended = once(watching, "exit");
    watching.kill("SIGTERM");
    await ended;
  }
}

export async function timeEdit(
  root: string,
  { url, key }: Service,
  { id, path }: Document,
  n: number,
): Promise<number> {
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

/** @param selector of the documents, as `&name=value`; "": the first thousand */
export async function list({ url, key }: Service, selector: string): Promise<Document[]> {
  const answer = await fetch(`${url}/v1/files?limit=1000${selector}`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { data: Document[] }).data;
}

/** Has a mirror listen or only poll. */
export function setListening(root: string, listen: boolean): void {
  const config = join(root, ".mdmirror", "config.json");
  const events = { listen, pollEvery: "60s" };
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, "utf8")), events }));
}

/** Works in a temporary folder, which holds the list of mirrors, too; all ends with it. */
export async function inOwnFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-bench-"));
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  process.on("SIGINT", () => {
    killLiving();
    process.exit(130);
  });
  try {
    await work(folder);
  } finally {
    killLiving();
    rmSync(folder, { recursive: true, force: true });
  }
}
