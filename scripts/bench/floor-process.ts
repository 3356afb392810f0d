/**
 * The floor under any clone: list, GET 32 at a time, and files made in whatever way is fastest. One
 * thread beside, told the texts of 16 documents at a time, is (`src/decisions.md`, "A floor that is
 * one"). No temporary file, no rename. `node floor-process.ts FOLDER URL`.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const CONCURRENCY = 32;
const BURST = 16;

type Listed = { readonly id: string; readonly path: string };
type Page = { readonly data: readonly Listed[]; readonly hasMore: boolean; readonly nextCursor: string };
type Text = readonly [path: string, content: string];

function writeHere([path, content]: Text): void {
  const fd = openSync(path, "wx");
  writeSync(fd, content);
  closeSync(fd);
}

/** Hands texts to the thread; `ended` resolves when all are written. */
function startWriting(documents: number) {
  const worker = new Worker(new URL(import.meta.url));
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let left = documents;
  let burst: Text[] = [];
  worker.on("message", (written: number) => {
    left -= written;
    if (left === 0) resolve();
  });
  worker.once("error", reject);
  const flush = () => {
    if (burst.length > 0) worker.postMessage(burst);
    burst = [];
  };
  const write = (text: Text) => {
    if (burst.push(text) === BURST) flush();
  };
  return { write, flush, ended, stop: () => worker.terminate() };
}

async function clone(folder: string, url: string): Promise<void> {
  const { Pool } = await import("undici");
  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const get = async <T>(path: string) => {
    const { body } = await pool.request({ method: "GET", path });
    return body.json() as Promise<T>;
  };
  const listed: Listed[] = [];
  for (let query = "", more = true; more; ) {
    const page = await get<Page>(`/v1/files?limit=1000${query}`);
    listed.push(...page.data);
    more = page.hasMore;
    query = `&cursor=${page.nextCursor}`;
  }
  const writing = startWriting(listed.length);
  for (const parent of new Set(listed.map(({ path }) => dirname(path))))
    mkdirSync(join(folder, parent), { recursive: true });
  let next = 0;
  const loop = async () => {
    while (next < listed.length) {
      const { id, path } = listed[next++]!;
      const { content } = await get<{ content: string }>(`/v1/files/${id}`);
      writing.write([join(folder, path), content]);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  writing.flush();
  await writing.ended;
  await Promise.all([writing.stop(), pool.close()]);
}

if (isMainThread) await clone(process.argv[2]!, process.argv[3]!);
else
  parentPort!.on("message", (burst: readonly Text[]) => {
    for (const text of burst) writeHere(text);
    parentPort!.postMessage(burst.length);
  });
