/**
 * Measures the daemon in a process of its own, on the real disk, against the embedded service over HTTP: save → PUT received, remote change → disk,
 * memory and processor time at rest. `node scripts/bench-daemon.ts [documents]`; Linux (reads /proc).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/app/clock.ts";
import { FILES } from "../src/contract/routes.ts";
import { createDaemon } from "../src/engine/daemon/daemon.ts";
import { META, rememberRoot } from "../src/engine/guard-facts.ts";
import type { Settings } from "../src/engine/world.ts";
import { createDisk } from "../src/local/disk.ts";
import { makeMirrorFolder } from "../src/local/marker.ts";
import { createNodeFs } from "../src/local/node-fs.ts";
import { createWatcher } from "../src/local/watch.ts";
import { createRemote } from "../src/remote/client.ts";
import { createUndiciWire } from "../src/remote/undici-wire.ts";
import { combineByMerge } from "../src/service/combine.ts";
import { startHttp } from "../src/service/http.ts";
import { createService } from "../src/service/service.ts";
import { openState } from "../src/state/open.ts";
import { DEFAULT_GUARDS } from "../src/core/policy.ts";

const SAVES = 60;

async function runChild(root: string, url: string, key: string): Promise<void> {
  const clock = systemClock();
  const random = {
    fraction: () => Math.random(),
    hex: (n: number) => Math.random().toString(16).slice(2).padEnd(n, "0").slice(0, n),
  };
  const fs = createNodeFs();
  if (!existsSync(join(root, ".mdmirror"))) makeMirrorFolder(fs, root, "marker-bench");
  const opened = openState({ folder: join(root, ".mdmirror"), clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const { state } = opened;
  const log = { write: () => undefined };
  const wire = createUndiciWire({ baseUrl: url, allowHttpHosts: [] });
  const remote = createRemote({ wire, key, clock, random, log, traits: null });
  const disk = createDisk(fs, root, { random });
  const world = {
    clock,
    random,
    log,
    progress: { report: () => undefined },
    remote,
    disk,
    state,
    bootId: null,
    prefix: "",
  };
  if (state.meta(META.rootMarker) === null) rememberRoot(world);
  const settings: Settings = {
    names: "map",
    direction: "both",
    prefer: null,
    conflicts: () => "sidecar",
    retryRefused: true,
    guards: DEFAULT_GUARDS,
    reviewAfterQuiet: false,
    secondLookMs: null,
  };
  const daemon = createDaemon(world, createWatcher(root), { settings });
  process.on("message", (what) => {
    if (what === "sync") void daemon.request("rescan").then((report) => process.send?.({ synced: report.state }));
  });
  process.send?.({ started: true });
  await daemon.run(new AbortController().signal);
}

function usage(pid: number): { rss: number; cpuMs: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  const ticks = Number(stat[11]) + Number(stat[12]);
  return { rss: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024, cpuMs: ticks * 10 };
}

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function measure(documents: number): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-bench-")));
  const service = createService({
    database: ":memory:",
    now: () => Date.now(),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    combine: combineByMerge,
    onFault: (error) => {
      throw error;
    },
  });
  const { key } = service.admin.createWorkspace("bench");
  const put: { at: number; heard: ((at: number) => void) | null } = { at: 0, heard: null };
  const handle: typeof service.handle = (request) => {
    if (request.method === "PUT") put.heard?.(performance.now());
    return service.handle(request);
  };
  const http = await startHttp({ ...service, handle }, { host: "127.0.0.1", port: 0 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = (method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    JSON.parse(service.answer({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) }).body);
  const pathOf = (n: number) => `area-${Math.floor(n / 800)}/topic-${Math.floor(n / 40)}/note-${n}.md`;
  for (let n = 0; n < documents; n++)
    call("POST", FILES, { path: pathOf(n), content: `# Note ${n}\n\n${`A line of note ${n}.\n`.repeat(30)}` });
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "child", root, http.url, key], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  const sync = async () => {
    child.send("sync");
    const [answer] = await once(child, "message");
    return answer as { synced: string };
  };
  const began = performance.now();
  await sync();
  console.log(`${documents} documents: first sync ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await pause(3_000);
  await sync();
  await pause(3_000);
  const pid = child.pid!;
  console.log(`  after the first sync: ${usage(pid).rss.toFixed(0)} MB`);

  const saves: number[] = [];
  for (let n = 0; n < SAVES; n++) {
    const path = join(root, pathOf((n * 97) % documents));
    const text = readFileSync(path, "utf8");
    const heard = new Promise<number>((resolve) => {
      put.heard = resolve;
    });
    const at = performance.now();
    writeFileSync(path, `${text}Edited ${n}.\n`);
    saves.push((await heard) - at);
    await pause(100 + Math.random() * 100);
  }
  put.heard = null;
  console.log(
    `  save → PUT received: p50 ${percentile(saves, 0.5).toFixed(0)} ms, p95 ${percentile(saves, 0.95).toFixed(0)} ms (300 ms are settling)`,
  );

  const arrivals: number[] = [];
  for (let n = 0; n < 5; n++) {
    const path = pathOf((n * 131 + 7) % documents);
    const file = call("GET", `${FILES}?path=${encodeURIComponent(path)}`).data[0];
    const arrived = new Promise<number>((resolve) => {
      const watching = watch(dirname(join(root, path)), (_event, name) => {
        if (name !== path.slice(path.lastIndexOf("/") + 1)) return;
        watching.close();
        resolve(performance.now());
      });
    });
    const at = performance.now();
    call("PUT", `${FILES}/${file.id}/content`, { baseChangeId: file.lastChangeId, content: `# From the app ${n}\n` });
    arrivals.push((await arrived) - at);
  }
  console.log(`  remote change → disk: ${arrivals.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`);
  await pause(70_000);
  const before = usage(pid);
  await pause(60_000);
  const after = usage(pid);
  console.log(
    `  at rest: ${after.rss.toFixed(0)} MB, ${(after.cpuMs - before.cpuMs).toFixed(0)} ms of processor a minute, polled each 30 s`,
  );
  child.kill();
  await once(child, "exit");
  const again = spawn(process.execPath, [fileURLToPath(import.meta.url), "child", root, http.url, key], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(again, "message");
  await pause(130_000);
  const rested = usage(again.pid!);
  await pause(60_000);
  const last = usage(again.pid!);
  console.log(
    `  restarted, at rest: ${last.rss.toFixed(0)} MB, ${(last.cpuMs - rested.cpuMs).toFixed(0)} ms of processor a minute`,
  );
  again.kill();
  await once(again, "exit");
  await http.close();
  rmSync(root, { recursive: true, force: true });
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === "child") await runChild(rest[0]!, rest[1]!, rest[2]!);
else {
  mkdirSync(tmpdir(), { recursive: true });
  await measure(Number(mode ?? 10_000));
}
