/**
 * Measures the service as whole processes, with the load from another one:
 * `npm run bench:service [-- --documents 1000,10000] [--seconds 3] [--only read,edit] [--mirrors 200]`
 * `[--json FILE]`
 * Reads, lists, creates, edits and searches by 16 connections that stay, the rate that wrk reaches
 * where it is installed, what one edit costs, and how memory and file grow; then edits beside mirrors
 * at rest, which are simulated: their requests alone (mirrors.ts).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveResult } from "../../results.ts";
import { killLiving } from "../child.ts";
import { writeCorpus } from "./corpus.ts";
import { KIND_NAMES, type Known } from "./kinds.ts";
import { measure, measureByWrk, measureMirrors, type Where } from "./measure.ts";
import { type Growth, type ServiceRow, serviceTables } from "./rows.ts";
import { indexed, type Served, serveAll } from "./servers.ts";

const CONNECTIONS = 16;
/** Two rounds of polls of 1,000 documents. */
const MIRROR_SECONDS = 12;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "1000,10000" },
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    mirrors: { type: "string", default: "200" },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const only = values.only?.split(",");
const kinds = KIND_NAMES.filter((kind) => only === undefined || only.includes(kind));

async function measureAll(folder: string, documents: number): Promise<{ rows: ServiceRow[]; growth: Growth }> {
  const corpus = join(folder, "corpus");
  const data = join(folder, "data");
  writeCorpus(corpus, documents);
  const where: Where = { store: "sqlite", processes: 1, documents };
  const store = { name: "sqlite", args: ["--data", data] } as const;
  const bare = await serveAll(store, 1);
  const empty = bare.used()?.rssMb ?? 0;
  await bare.close();
  const served = await serveAll(store, 1, ["--import", corpus]);
  try {
    await indexed(served.urls[0]!);
    const imported = { rssMb: served.used()?.rssMb ?? 0, fileMb: sizeOf(data) };
    const rows = await measureKinds(served, where, folder);
    const rssMb = [empty, imported.rssMb, served.used()?.rssMb ?? 0];
    return { rows, growth: { ...where, rssMb, fileMb: [0, imported.fileMb, sizeOf(data)] } };
  } finally {
    await served.close();
  }
}

async function measureKinds(served: Served, where: Where, folder: string): Promise<ServiceRow[]> {
  const knownFile = join(folder, "known.json");
  const known = await everyDocument(served);
  writeFileSync(knownFile, JSON.stringify(known));
  const rows: ServiceRow[] = [];
  const raw = await measureByWrk(served, where, `/v1/files/${known[0]!.id}`, seconds);
  if (raw !== null) rows.push(raw);
  for (const kind of kinds) {
    const run = `${where.documents}-${rows.length}`;
    const order = { knownFile, kind, connections: CONNECTIONS, seconds, perSecond: null, run };
    const row = await measure(served, where, kind, order);
    console.error(`${row.documents} ${row.what}: ${Math.round(row.perSecond)} /s`);
    rows.push(row);
  }
  const mirrors = Number(values.mirrors);
  if (mirrors === 0) return rows;
  for (const listen of [false, true]) {
    const beside = { knownFile, mirrors, listen, seconds: MIRROR_SECONDS, editsPerSecond: 5 };
    rows.push(...(await measureMirrors(served, where, beside)));
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

function sizeOf(dir: string): number {
  const bytes = readdirSync(dir)
    .filter((name) => name.startsWith("service.db"))
    .map((name) => statSync(join(dir, name)).size);
  return bytes.reduce((sum, one) => sum + one, 0) / MEGABYTE;
}

process.on("SIGINT", () => {
  killLiving();
  process.exit(130);
});
const rows: ServiceRow[] = [];
const growth: Growth[] = [];
for (const documents of values.documents.split(",").map(Number)) {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-bench-"));
  try {
    const measured = await measureAll(folder, documents);
    rows.push(...measured.rows);
    growth.push(measured.growth);
  } finally {
    killLiving();
    rmSync(folder, { recursive: true });
  }
}
saveResult(values.json, { rows, growth });
console.log(serviceTables({ rows, growth }).join("\n"));
