/**
 * The bare loops: the file operations and requests that a clone, a push, or a sync with nothing to
 * do cannot avoid. Each runs as a process on the same Node: `node bare-process.ts clone|push|no-op
 * FOLDER …`. They compute no hashes, write no rows, check no names, and flush nothing.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const CONCURRENCY = 32;

const [what, folder, url, key, ...rest] = process.argv.slice(2) as [string, string, string, string, ...string[]];
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

type Listed = { readonly id: string; readonly path: string; readonly lastChangeId: string };

async function connect() {
  const { Pool } = await import("undici");
  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const call = async (method: "GET" | "POST", path: string, body: string | null = null) => {
    const { statusCode, body: answer } = await pool.request({ method, path, headers, body });
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${await answer.text()}`);
    return answer.json() as Promise<unknown>;
  };
  const list = async (): Promise<Listed[]> => {
    const all: Listed[] = [];
    for (let cursor = ""; ; ) {
      const page = (await call("GET", `/v1/files?limit=1000${cursor}`)) as {
        data: Listed[];
        hasMore: boolean;
        nextCursor: string;
      };
      all.push(...page.data);
      if (!page.hasMore) return all;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  };
  return { call, list, close: () => pool.close() };
}

async function inParallel<T>(items: readonly T[], work: (item: T, n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < items.length) {
      const n = next++;
      await work(items[n]!, n);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
}

async function clone(): Promise<void> {
  const { call, list, close } = await connect();
  const temporary = join(folder, ".tmp");
  mkdirSync(temporary, { recursive: true });
  const made = new Set<string>();
  await inParallel(await list(), async ({ id, path }, n) => {
    const { content } = (await call("GET", `/v1/files/${id}`)) as { content: string };
    const parent = dirname(path);
    if (!made.has(parent)) {
      mkdirSync(join(folder, parent), { recursive: true });
      made.add(parent);
    }
    const written = join(temporary, String(n));
    writeFileSync(written, content);
    renameSync(written, join(folder, path));
  });
  await close();
}

function* walk(below: string): Generator<string> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    // The same rule as mdmirror's: `..md` is a document, `.git` and `.gitignore` are not.
    if (entry.name.startsWith(".") && (entry.isDirectory() || !entry.name.endsWith(".md"))) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

/**
 * Uploads all files. Reads the first documents back, like a new linked folder.
 * @param verified number of documents to read back
 */
async function push(verified: number): Promise<void> {
  const { call, close } = await connect();
  await inParallel([...walk("")], async (path, n) => {
    const content = readFileSync(join(folder, path), "utf8");
    const { id } = (await call("POST", "/v1/files", JSON.stringify({ path, content }))) as { id: string };
    if (n < verified) await call("GET", `/v1/files/${id}`);
  });
  await close();
}

/**
 * Scans and lists.
 * @param rows SQLite file with a table `rows`, one row for each document
 */
async function noOp(rows: string): Promise<void> {
  const { default: Sqlite } = await import("better-sqlite3");
  const db = new Sqlite(rows, { readonly: true });
  const known = db.prepare("SELECT * FROM rows").raw().all();
  db.close();
  let size = 0;
  let files = 0;
  for (const path of walk("")) {
    size += lstatSync(join(folder, path)).size;
    files++;
  }
  const { list, close } = await connect();
  const listed = await list();
  await close();
  if (known.length !== files || listed.length !== files)
    throw new Error(`${known.length} rows, ${files} files (${size} bytes), ${listed.length} documents`);
}

switch (what) {
  case "clone":
    await clone();
    break;
  case "push":
    await push(Number(rest[0]));
    break;
  case "no-op":
    await noOp(rest[0]!);
    break;
  default:
    throw new Error(`no such loop: ${what}`);
}
