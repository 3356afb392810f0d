/**
 * Measures a mirror of a large workspace on a service that tells of nothing, on whole processes
 * (`serve`, `watch` with `events.listen: false`), over HTTP on loopback:
 * `npm run bench -- polling [--documents 38000] [--corpus DIR] [--folders 4] [--edits 40]
 * [--rest SECONDS] [--json FILE]`
 * From a change on the service to the file on the disk, for the first one in a folder and for those
 * after it; and how many requests a minute the mirror sends, while somebody works and at rest.
 * `--corpus`: the documents of this folder instead of made ones. Linux (reads /proc).
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveResult } from "../../results.ts";
import { usageOf } from "../child.ts";
import { percentile } from "../rows.ts";
import { writeCorpus } from "../serving/corpus.ts";
import { serveAll } from "../serving/servers.ts";
import { makeStore } from "../serving/stores.ts";
import {
  type Document,
  inOwnFolder,
  linkMirror,
  list,
  type Service,
  setListening,
  timeEdit,
  whileWatching,
} from "./mirrored.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "38000" },
    corpus: { type: "string" },
    folders: { type: "string", default: "4" },
    edits: { type: "string", default: "40" },
    rest: { type: "string", default: "120" },
    json: { type: "string" },
  },
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Requests of a `timeEdit`. */
const AN_EDIT = 2;

type Folder = readonly Document[];

/** Folders of some documents each, far from each other in the list. */
async function foldersOf(service: Service, count: number): Promise<Folder[]> {
  const headers = { "x-api-key": service.key };
  const answer = await fetch(`${service.url}/v1/folders?path_prefix=/&limit=1000`, { headers });
  const all = ((await answer.json()) as { data: { id: string }[] }).data;
  const found: Folder[] = [];
  for (let n = 0; n < all.length && found.length < count; n++) {
    const { id } = all[(n * 37) % all.length]!;
    const documents = await list(service, `&parent_id=${id}`);
    if (documents.length > 4) found.push(documents);
  }
  return found;
}

async function requestsOf({ url }: Service): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^mdmirror_service_requests_total\{.*route="[A-Z]+ \/v1\/.*\} (\d+)$/gm);
  const count = [...counts].reduce((sum, [, one]) => sum + Number(one), 0);
  // The mirror has been made by then.
  if (count === 0) throw new Error("the service tells of no request in /metrics");
  return count;
}

/** Requests a minute while `work` was done, without its own. */
async function countWhile(service: Service, work: () => Promise<number>): Promise<number> {
  const [before, began] = [await requestsOf(service), performance.now()];
  const own = await work();
  return ((await requestsOf(service)) - before - own) / ((performance.now() - began) / 60_000);
}

async function measure(root: string, service: Service) {
  const folders = await foldersOf(service, Number(values.folders));
  return whileWatching(root, service, async (pid) => {
    const [first, later]: [number[], number[]] = [[], []];
    const atWork = await countWhile(service, async () => {
      for (let n = 0; n < Number(values.edits); n++) {
        const folder = folders[n % folders.length]!;
        const took = await timeEdit(root, service, folder[(n * 7) % folder.length]!, n);
        (n < folders.length ? first : later).push(took);
        console.log(`${n < folders.length ? "first" : "later"}: ${Math.round(took)} ms`);
        await pause(Math.random() * 5_000);
      }
      return AN_EDIT * Number(values.edits);
    });
    await pause(60_000);
    const atRest = await countWhile(service, async () => {
      await pause(Number(values.rest) * 1_000);
      return 0;
    });
    return { first, later, atWork, atRest, rssMb: usageOf(pid).rssMb };
  });
}

await inOwnFolder(async (folder) => {
  const corpus = values.corpus ?? join(folder, "corpus");
  if (values.corpus === undefined) {
    mkdirSync(corpus);
    writeCorpus(corpus, Number(values.documents));
  }
  const served = await serveAll(await makeStore("sqlite", folder), 1, ["--import", corpus]);
  const service = { url: served.urls[0]!, key: readFileSync(served.keyFile, "utf8").trim() };
  await settled(service);
  const root = join(folder, "mirror");
  await linkMirror(root, service.url, service.key);
  setListening(root, false);
  const { first, later, atWork, atRest, rssMb } = await measure(root, service);
  await served.close();
  const shares = (ms: readonly number[]) => ({ n: ms.length, p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) });
  saveResult(values.json, { first: shares(first), later: shares(later), atWork, atRest, rssMb });
  for (const [what, ms] of Object.entries({ "first in a folder": first, "later there": later }))
    console.log(
      `remote change → disk, ${what} (${ms.length}): p50 ${(percentile(ms, 0.5) / 1_000).toFixed(1)} s, ` +
        `p95 ${(percentile(ms, 0.95) / 1_000).toFixed(1)} s`,
    );
  console.log(`requests a minute: ${atWork.toFixed(0)} at work, ${atRest.toFixed(0)} at rest; ${rssMb.toFixed(0)} MB`);
});

/** Until the service's import, which it makes while it serves, has come to its end. */
async function settled({ url }: Service): Promise<void> {
  for (let known = 0, before = -1; known === 0 || known !== before; ) {
    before = known;
    await pause(2_000);
    const text = await (await fetch(`${url}/metrics`)).text();
    known = Number(/^mdmirror_service_documents (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}
