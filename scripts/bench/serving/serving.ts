/**
 * `npm run bench:service [-- --documents 1000,10000] [--stores sqlite,postgres] [--processes 1,3]
 * [--seconds 2] [--only read,edit,wrk] [--json FILE]`: measures the service as whole processes,
 * with the load from another process.
 *
 * It reads, lists, creates, edits and searches by 16 open connections. It also measures the rate of
 * wrk, if that is installed, and how memory and files grow. SQLite has one process. PostgreSQL is a
 * temporary server that flushes to disk; the table shows the time of its processes separately.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { saveResult } from "../../results.ts";
import { killChildren } from "../child.ts";
import { KIND_NAMES, type Known } from "./kinds.ts";
import { measure, measureByWrk, type Where } from "./measure.ts";
import { type Growth, type ServiceRow, serviceTables } from "./rows.ts";
import { imported, indexed, makeStore, serveAll, type Served, type StoreName } from "./servers.ts";

/**
 * The documents for the benchmark of the service: 100 in a folder, most of them short, every 50th
 * of 20 kB.
 */

export function writeCorpus(dir: string, documents: number): void {
  for (let n = 0; n < documents; n++) {
    const file = join(dir, `part-${Math.floor(n / 10_000)}`, `chapter-${Math.floor(n / 100)}`, `document-${n}.md`);
    if (n % 100 === 0) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(n));
  }
}

const WORDS = "harbour lantern meadow copper ribbon thunder velvet orchard granite whisper ember saddle".split(" ");

function textOf(n: number): string {
  const word = (k: number) => WORDS[(n * 7 + k * 5) % WORDS.length]!;
  const lines = Array.from({ length: n % 50 === 0 ? 250 : 4 + (n % 12) }, (_, k) => {
    return `Some ${word(k)} words of plain prose about the ${word(k + 3)}, line ${k}, number${(n * 31 + k) % 5_000}.`;
  });
  return `# Document ${n}\n\n${lines.join("\n")}\n`;
}

const CONNECTIONS = 16;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "1000,10000" },
    stores: { type: "string", default: "sqlite,postgres" },
    processes: { type: "string", default: "1,3" },
    seconds: { type: "string", default: "2" },
    only: { type: "string" },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const only = values.only?.split(",");
const isAsked = (part: string) => only === undefined || only.includes(part);
const kinds = KIND_NAMES.filter(isAsked);
const BY_WRK = "wrk";
const PARTS: readonly string[] = [...KIND_NAMES, BY_WRK];

type Plan = { readonly name: StoreName; readonly processes: number; readonly documents: number };

async function measureAll(folder: string, { name, processes, documents }: Plan) {
  const corpus = join(folder, "corpus");
  writeCorpus(corpus, documents);
  const where: Where = { store: name, processes, documents };
  const store = await makeStore(name, folder);
  try {
    const bare = await serveAll(store, 1);
    const empty = bare.used()?.rssMb ?? 0;
    const fileMb = [(await store.bytes()) / MEGABYTE];
    await bare.close();
    const served = await serveAll(store, processes, ["--import", corpus]);
    await imported(served.urls[0]!, documents);
    await indexed(served.urls[0]!);
    const filledMb = served.used()?.rssMb ?? 0;
    fileMb.push((await store.bytes()) / MEGABYTE);
    const rows = await measureKinds(served, where, folder);
    const rssMb = [empty, filledMb, served.used()?.rssMb ?? 0];
    fileMb.push((await store.bytes()) / MEGABYTE);
    await served.close();
    return { rows, growth: { ...where, rssMb, fileMb } };
  } finally {
    killChildren();
    await store.end();
  }
}

async function measureKinds(served: Served, where: Where, folder: string): Promise<ServiceRow[]> {
  const knownFile = join(folder, "known.json");
  const known = await everyDocument(served);
  writeFileSync(knownFile, JSON.stringify(known));
  const rows: ServiceRow[] = [];
  const one = `/v1/files/${known[0]!.id}`;
  if (isAsked(BY_WRK)) rows.push(...(await measureByWrk(served, where, { folder, one, seconds })));
  for (const kind of kinds) {
    const run = `${where.documents}-${rows.length}`;
    const order = { knownFile, kind, connections: CONNECTIONS, seconds, run };
    const row = await measure(served, where, kind, order);
    console.error(`${row.store} ${row.processes}, ${row.documents}: ${row.what} ${Math.round(row.perSecond)} /s`);
    rows.push(row);
  }
  return rows;
}

async function everyDocument({ urls, keyFile }: Served): Promise<Known[]> {
  const headers = { "x-api-key": readFileSync(keyFile, "utf8").trim() };
  const known: Known[] = [];
  for (let cursor = ""; ; ) {
    const answer = await fetch(`${urls[0]}/v1/files?limit=1000${cursor}`, { headers });
    const page = (await answer.json()) as { data: Known[]; nextCursor: string | null };
    known.push(...page.data.map(({ id, lastChangeId, path }) => ({ id, lastChangeId, path })));
    if (page.nextCursor === null) return known;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

process.on("SIGINT", () => {
  killChildren();
  process.exit(130);
});
const unknown = only?.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: there is no such part; there are: ${PARTS.join(", ")}`);
  process.exit(2);
}
const rows: ServiceRow[] = [];
const growth: Growth[] = [];
const plans = values.documents.split(",").flatMap((documents) =>
  (values.stores.split(",") as StoreName[]).flatMap((name) => {
    const processes = name === "sqlite" ? [1] : values.processes.split(",").map(Number);
    return processes.map((count): Plan => ({ name, processes: count, documents: Number(documents) }));
  }),
);
for (const plan of plans) {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-bench-"));
  try {
    const measured = await measureAll(folder, plan);
    rows.push(...measured.rows);
    growth.push(measured.growth);
    // Saved after each part, so that a later failure does not lose it.
    saveResult(values.json, { rows, growth });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
console.log(serviceTables({ rows, growth }).join("\n"));
