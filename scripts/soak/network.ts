/**
 * Connections that break, and a service that is killed and started again, in the middle of syncs.
 * Then nothing fails until the sides are equal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rollDice } from "../../test/simulator/dice.ts";
import {
  type Rig,
  PROGRAM,
  type Service,
  serveData,
  docPath,
  fillService,
  linkAndSync,
  openRig,
  run,
  start,
  writeLocally,
  workOnBothSides,
} from "./fixture.ts";
import { newText } from "./marked.ts";
import { countDamage, openLedger, recordState } from "./judge.ts";
import { openProxy } from "./proxy.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 80;
const CODES = [0, 3, 5];
/** LIMIT: syncs of a round that wait for a broken connection. */
const MAX_SYNCS = 40;

async function brokenConnections({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const direct = await openRig(seed);
  const proxy = await openProxy(direct.url, rollDice(seed));
  const rig: Rig = { ...direct, url: proxy.url };
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  for (let round = 0; round < rounds; round++) {
    await workOnBothSides(rig, round, 12, DOCUMENTS);
    const before = await recordState(rig);
    proxy.share = 0.15 + rig.dice.fraction() * 0.8;
    // The number of connections of a sync depends on its timing. Without a broken one it would
    // prove nothing.
    for (let times = 0; times < 2 || (times < MAX_SYNCS && proxy.broken.size === 0); times++) {
      const ended = await run(rig, ["sync", rig.notes]);
      ledger.ended(ended.code);
      if (ended.code === null || !CODES.includes(ended.code))
        ledger.broken.push(`round ${round} (seed ${seed}): exit ${ended.code}: ${ended.out.trim()}`);
    }
    proxy.share = 0;
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 1 }));
  }
  await proxy.close();
  await direct.end();
  const breaks = [...proxy.broken.values()].reduce((sum, n) => sum + n, 0);
  if (breaks === 0) ledger.broken.push("no connection was broken");
  const counted = { ...ledger.figures, "connections broken": breaks, exits: ledger.exits() };
  return { fault: "connections", rounds, counted, broken: ledger.broken };
}

/**
 * Kills the service in the middle of a sync. Starts it again immediately on the same port and data.
 */
async function killedService({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const served = await serveByTurns();
  const rig = await openRig(seed, served);
  for (let n = 0; n < DOCUMENTS; n++) writeLocally(rig, docPath(n), newText(`doc ${n}`));
  await linkAndSync(rig);
  let kills = 0;
  for (let round = 0; round < rounds; round++) {
    await workOnBothSides(rig, round, 12, DOCUMENTS);
    const before = await recordState(rig);
    await served.apart();
    const { child, ended } = start(rig, ["sync", rig.notes]);
    await new Promise((later) => setTimeout(later, 250 + rig.dice.below(500)));
    if (child.exitCode === null) kills++;
    await served.killed();
    const end = await ended;
    ledger.ended(end.code);
    if (end.code === null || !CODES.includes(end.code))
      ledger.broken.push(`round ${round} (seed ${seed}): exit ${end.code}: ${end.out.trim()}`);
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 2 }));
  }
  await rig.end();
  if (kills === 0) ledger.broken.push("the service was never killed during a sync");
  const counted = { ...ledger.figures, "killed during a sync": kills, exits: ledger.exits() };
  return { fault: "service-killed", rounds, counted, broken: ledger.broken };
}

type Turns = Service & {
  /** Moves the service from this process into its own. */
  apart(): Promise<void>;
  /** Kills that process by kill -9, and serves from this process again. */
  killed(): Promise<void>;
};

async function serveByTurns(): Promise<Turns> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-soak-"));
  const dir = join(folder, "data");
  const writes: string[] = [];
  const serveHere = (port: number) =>
    serveData(dir, port, ({ method, path }) => {
      if (method !== "GET") writes.push(`${method} ${path}`);
    });
  let here = await serveHere(0);
  const { url, key } = here;
  const { port } = new URL(url);
  let child: ChildProcess | null = null;
  return {
    folder,
    url,
    key,
    writes,
    call: (...asked) => here.call(...asked),
    async apart() {
      await here.close();
      const args = [PROGRAM, "serve", "--port", port, "--data", dir];
      child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout!, "data");
    },
    async killed() {
      const exit = once(child!, "exit");
      child!.kill("SIGKILL");
      await exit;
      here = await serveHere(Number(port));
    },
    async end() {
      await here.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const NETWORK: readonly Fault[] = [
  { name: "connections", rounds: 30, quick: 2, run: brokenConnections },
  { name: "service-killed", rounds: 20, quick: 2, run: killedService },
];
