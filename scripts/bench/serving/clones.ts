/**
 * Mirrors that are made at once: each is a real `mdmirror init`, which ends when its folder is in
 * sync. They run on the service's machine, so what they use of its processors is told as well.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, PROJECT, runChild } from "../child.ts";
import { median } from "../rows.ts";
import type { Where } from "./measure.ts";
import type { CloneRow } from "./rows.ts";
import { refusedBy, type Served, type Used } from "./servers.ts";

const CLI = join(PROJECT, "src/cli/entry.mjs");

type Ground = { readonly folder: string; readonly corpus: string };

type Made = {
  readonly seconds: number;
  readonly service: Used | null;
  /** Null where the system does not tell. */
  readonly mirrorsMs: number | null;
  readonly refused: number;
};

/** @param ground the service holds the corpus and nothing else; the folder has no mirrors yet */
export async function measureClones(served: Served, where: Where, count: number, ground: Ground): Promise<CloneRow> {
  const make = (label: string, mirrors: number) => makeMirrors(served, join(ground.folder, label), mirrors, ground);
  // The first one is not measured: it finds processes and caches that were never used.
  await make("first", 1);
  const before = await make("before", 1);
  const together = await make("together", count);
  const after = await make("after", 1);
  return {
    ...where,
    mirrors: count,
    aloneSeconds: median([before.seconds, after.seconds]),
    seconds: together.seconds,
    aloneCpuMs: before.service === null || after.service === null ? null : median([before, after].map(serviceMs)),
    cpuMs: together.service?.cpuMs ?? null,
    databaseMs: together.service?.databaseCpuMs ?? null,
    mirrorsMs: together.mirrorsMs,
    refused: before.refused + together.refused + after.refused,
  };
}

const serviceMs = ({ service }: Made) => service?.cpuMs ?? 0;

async function makeMirrors(served: Served, at: string, count: number, { corpus }: Ground): Promise<Made> {
  const refused = await refusedBy(served);
  const before = served.used();
  const began = performance.now();
  const all = await Promise.all(Array.from({ length: count }, (_, n) => clone(served, join(at, String(n)), n)));
  const seconds = (performance.now() - began) / 1_000;
  const after = served.used();
  for (let n = 0; n < count; n++) mustBeSame(corpus, join(at, String(n), "notes"));
  return {
    seconds,
    service: before === null || after === null ? null : usedBetween(before, after),
    mirrorsMs: all.every(({ cpuMs }) => cpuMs !== null) ? all.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0) : null,
    refused: (await refusedBy(served)) - refused,
  };
}

/** As on a machine of its own: no mirror knows of the others. */
function clone({ urls, keyFile }: Served, home: string, n: number): Promise<Finished> {
  const url = urls[n % urls.length]!;
  const args = ["init", join(home, "notes"), "--url", url, "--key-file", keyFile, "--no-store-key", "--yes"];
  return runChild(process.execPath, [CLI, ...args], { env: { XDG_STATE_HOME: join(home, "state") } });
}

function usedBetween(before: Used, after: Used): Used {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    rssMb: after.rssMb,
    databaseCpuMs: after.databaseCpuMs - before.databaseCpuMs,
    writtenBytes: after.writtenBytes - before.writtenBytes,
  };
}

/** @throws when a mirror is not its workspace, byte for byte */
function mustBeSame(corpus: string, mirror: string): void {
  const names = documentsIn(corpus);
  const found = documentsIn(mirror);
  if (found.join("\n") !== names.join("\n"))
    throw new Error(`${mirror} holds ${found.length} documents, its workspace ${names.length}`);
  const other = names.find((name) => !readFileSync(join(corpus, name)).equals(readFileSync(join(mirror, name))));
  if (other !== undefined) throw new Error(`${join(mirror, other)} is not as the service has it`);
}

function documentsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md") && !name.startsWith(".mdmirror")).sort();
}
