/**
 * Measures what events do, on whole processes (`serve`, `watch`), over HTTP on loopback:
 * `npm run bench -- events [--documents 1000] [--edits 60] [--polled 20] [--listeners 2000]
 * [--rest SECONDS] [--json FILE]`
 * From a change on the service to the file on the disk, with events and by polling; what listeners
 * cost that only listen; and how long one change takes to reach all of them. Linux (reads /proc).
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveResult } from "../../results.ts";
import { percentile } from "../rows.ts";
import { writeCorpus } from "../serving/corpus.ts";
import { imported, indexed, serveAll } from "../serving/servers.ts";
import { makeStore } from "../serving/stores.ts";
import { measureListeners } from "./listeners.ts";
import { inOwnFolder, linkMirror, setListening, timeEdits } from "./mirrored.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "1000" },
    edits: { type: "string", default: "60" },
    polled: { type: "string", default: "20" },
    listeners: { type: "string", default: "2000" },
    rest: { type: "string", default: "30" },
    json: { type: "string" },
  },
});

type Latency = { readonly how: string; readonly edits: number; readonly p50: number; readonly p95: number };

function latencyOf(how: string, ms: readonly number[]): Latency {
  return { how, edits: ms.length, p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) };
}

await inOwnFolder(async (folder) => {
  const corpus = join(folder, "corpus");
  mkdirSync(corpus);
  writeCorpus(corpus, Number(values.documents));
  const served = await serveAll(await makeStore("sqlite", folder), 1, ["--import", corpus]);
  const url = served.urls[0]!;
  await imported(url, Number(values.documents));
  await indexed(url);
  const key = readFileSync(served.keyFile, "utf8").trim();
  const latencies: Latency[] = [];
  for (const [how, listen, edits] of [
    ["with events", true, Number(values.edits)],
    ["by polling", false, Number(values.polled)],
  ] as const) {
    if (edits === 0) continue;
    const root = join(folder, listen ? "told" : "polled");
    await linkMirror(root, url, key);
    setListening(root, listen);
    latencies.push(latencyOf(how, await timeEdits(root, { url, key }, edits)));
  }
  const count = Number(values.listeners);
  const listeners =
    count === 0 ? null : await measureListeners(served, join(folder, "data"), count, Number(values.rest) * 1_000);
  await served.close();
  saveResult(values.json, { latencies, listeners });
  for (const { how, edits, p50, p95 } of latencies)
    console.log(`remote change → disk, ${how} (${edits}): p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  if (listeners !== null) {
    const { kbEach, cpuAtRest, toAllMs, cpuBefore } = listeners;
    console.log(
      `${count} listeners: ${kbEach.toFixed(1)} kB each, ${(cpuAtRest * 100).toFixed(2)} % of a core at rest ` +
        `(${(cpuBefore * 100).toFixed(2)} % without), one change reaches all in ${toAllMs.toFixed(0)} ms`,
    );
  }
});
