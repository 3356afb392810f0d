/**
 * Measures the service at a given number of documents:
 * `npm run bench -- service [--documents 38000] [--json]`
 * Lists and reads in process (the core alone) and over HTTP on loopback (8 at a
 * time), on disk with WAL. Texts are of a realistic length (some hundreds of bytes, one in fifty 20
 * kB), 100 documents a folder, folders nested two deep.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FileResource, ListEnvelope } from "../../src/contract/resources.ts";
import type { Wire } from "../../test/contract/suite/fetch-wire.ts";
import { openData } from "../../src/server/data.ts";
import { startHttp } from "../../src/server/http.ts";
import { fetchWire } from "../../test/contract/suite/fetch-wire.ts";
import { Api } from "../../test/contract/suite/world.ts";

type Row = { readonly what: string; readonly perSecond: number; readonly milliseconds: number };

const SECONDS = 2;
const CONCURRENT = 8;

/** Runs `work` from so many loops at once, for SECONDS. */
async function measure(what: string, concurrent: number, work: (n: number) => Promise<unknown>): Promise<Row> {
  for (let n = 0; n < 20; n++) await work(n);
  let done = 0;
  const started = performance.now();
  const end = started + SECONDS * 1_000;
  const loop = async () => {
    while (performance.now() < end) await work(done++);
  };
  await Promise.all(Array.from({ length: concurrent }, loop));
  const elapsed = performance.now() - started;
  return { what, perSecond: (done / elapsed) * 1_000, milliseconds: (elapsed / done) * concurrent };
}

function fill(data: ReturnType<typeof openData>, documents: number): number {
  const headers = { "x-api-key": data.key };
  const started = performance.now();
  for (let first = 0; first < documents; first += 1_000) {
    data.service.batch(() => {
      for (let n = first; n < Math.min(first + 1_000, documents); n++) {
        const path = `part-${Math.floor(n / 10_000)}/chapter-${Math.floor(n / 100)}/document-${n}.md`;
        const content = `# Document ${n}\n\n${"Some words of plain prose. ".repeat(n % 50 === 0 ? 750 : 5 + (n % 30))}\n`;
        const response = data.service.answer({
          method: "POST",
          path: "/v1/files",
          headers,
          body: JSON.stringify({ path, content }),
        });
        if (response.status !== 201) throw new Error(response.body);
      }
    });
  }
  return performance.now() - started;
}

async function measureAll(where: string, wire: Wire, key: string, concurrent: number): Promise<Row[]> {
  const api = new Api(wire, key);
  const files = await everyFile(api);
  const at = (n: number) => files[(n * 7_919) % files.length]!;
  let changeId = files[0]!.lastChangeId as string;
  const edit = async (n: number) => {
    changeId = (await api.edit(files[0]!.id, changeId, `${where} ${n} ${changeId}\n`)).json.lastChangeId;
  };
  return [
    await measure(`${where}: read a file`, concurrent, (n) => api.get(`/v1/files/${at(n).id}`)),
    await measure(`${where}: list 1,000`, concurrent, () => api.get("/v1/files?limit=1000")),
    await measure(`${where}: list 100`, concurrent, () => api.get("/v1/files")),
    await measure(`${where}: list one folder`, concurrent, (n) =>
      api.get(`/v1/files?path_prefix=${at(n).path.split("/").slice(0, 2).join("/")}`),
    ),
    await measure(`${where}: list by path`, concurrent, (n) => api.get(`/v1/files?path=${at(n).path}`)),
    await measure(`${where}: edit a file (synced to disk)`, 1, edit),
    await measure(`${where}: list everything, 1,000 a page`, 1, () => everyFile(api)),
  ];
}

async function everyFile(api: Api): Promise<FileResource[]> {
  const files: FileResource[] = [];
  let cursor = "";
  for (;;) {
    const { json } = await api.get(`/v1/files?limit=1000${cursor}`);
    const page = json as ListEnvelope<FileResource>;
    files.push(...page.data);
    if (!page.hasMore) return files;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** Renames the first root folder there and back. */
async function renameFolder(api: Api): Promise<Row> {
  const { id } = (await api.page("folders")).data[0]!;
  return measure("in process: rename a folder of 10,000 documents", 1, (n) =>
    api.patch(`/v1/folders/${id}`, { name: `renamed-${n}` }),
  );
}

const { values } = parseArgs({
  options: { documents: { type: "string", default: "38000" }, json: { type: "boolean" } },
});
const documents = Number(values.documents);
const folder = mkdtempSync(join(tmpdir(), "mdmirror-bench-"));
const data = openData(folder);
try {
  const filled = fill(data, documents);
  const rows: Row[] = [
    {
      what: "in process: create, 1,000 a transaction",
      perSecond: (documents / filled) * 1_000,
      milliseconds: filled / documents,
    },
  ];
  rows.push(...(await measureAll("in process", data.service.handle, data.key, 1)));
  rows.push(await renameFolder(new Api(data.service.handle, data.key)));
  const server = await startHttp(data.service);
  rows.push(...(await measureAll("over HTTP", fetchWire(server.url), data.key, CONCURRENT)));
  await server.close();
  if (values.json) console.log(JSON.stringify({ documents, rows }));
  else {
    console.log(`${documents} documents, Node ${process.version}`);
    for (const { what, perSecond, milliseconds } of rows) {
      console.log(
        `${what.padEnd(52)} ${perSecond.toFixed(perSecond < 100 ? 1 : 0).padStart(8)} /s ${milliseconds.toFixed(2).padStart(9)} ms`,
      );
    }
  }
} finally {
  data.close();
  rmSync(folder, { recursive: true });
}
