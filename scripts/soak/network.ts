/**
 * Connections that break, and a service that is killed and started again, in the middle of syncs.
 * Then nothing fails until the sides are equal.
 */
import { connect, createServer, type Server, type Socket } from "node:net";
import { type Dice, rollDice } from "../../test/simulator/dice.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  docPath,
  fillService,
  linkAndSync,
  openRig,
  PROGRAM,
  type Rig,
  run,
  serveData,
  type Service,
  start,
  workOnBothSides,
  writeLocally,
} from "./fixture.ts";
import { newText } from "./marked.ts";
import { countDamage, openLedger, recordState } from "./oracle.ts";
import type { Fault, Soak } from "./row.ts";

/**
 * A proxy that breaks connections: after some bytes in either direction it resets, ends or stalls
 * them.
 */

type Break = "reset" | "end" | "stall";

type Proxy = {
  readonly url: string;
  /** Number of broken connections, by kind of break and by what was being transferred. */
  readonly broken: Map<string, number>;
  /** Share of connections that break: 0 for none, 1 for all. */
  share: number;
  close(): Promise<void>;
};

/** ms for which a stalled connection passes neither bytes nor its end. */
const STALL_MS = 1_500;

async function openProxy(target: string, dice: Dice): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const broken = new Map<string, number>();
  const server: Server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const socket of [client, service]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => open.delete(socket));
    }
    const fault = dice.fraction() < proxy.share ? plan(dice) : null;
    const drop = (how: Break, where: string) => {
      const name = `${how} in a ${where}`;
      broken.set(name, (broken.get(name) ?? 0) + 1);
      const end = () => {
        if (how === "end") client.end();
        else client.resetAndDestroy();
        service.destroy();
      };
      if (how === "stall") setTimeout(end, STALL_MS);
      else end();
    };
    relay(client, service, fault?.where === "request" ? fault.after : null, () => drop(fault!.how, "request"));
    relay(service, client, fault?.where === "response" ? fault.after : null, () => drop(fault!.how, "response"));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const proxy: Proxy = {
    url: `http://127.0.0.1:${address.port}`,
    broken,
    share: 0,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
  return proxy;
}

type Plan = { readonly how: Break; readonly where: "request" | "response"; readonly after: number };

/**
 * Draws a break. A request or an answer has some 300 bytes and its content. Connections are reused,
 * so most breaks come after several requests.
 */
function plan(dice: Dice): Plan {
  return {
    how: dice.pick(["reset", "reset", "end", "stall"]),
    where: dice.pick(["request", "response"]),
    after: dice.below(6_000),
  };
}

/** Passes on exactly `after` bytes, then calls `onBreak` and passes on nothing more. */
function relay(from: Socket, to: Socket, after: number | null, onBreak: () => void): void {
  let left = after ?? Number.POSITIVE_INFINITY;
  let done = false;
  from.on("data", (chunk: Buffer) => {
    if (done) return;
    to.write(chunk.subarray(0, Math.min(chunk.length, left)));
    left -= chunk.length;
    if (left > 0) return;
    done = true;
    onBreak();
  });
  from.on("end", () => {
    if (!done) to.end();
  });
  from.on("error", () => to.destroy());
}

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
