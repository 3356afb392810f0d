/**
 * `sync` killed with SIGKILL at random moments of a clone and of a push, then let finish: nothing
 * lost, nothing twice.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importFolder } from "../../src/server/import.ts";
import {
  CORPORA,
  type Fixture,
  line,
  localTree,
  openFixture,
  readHolds,
  readLinks,
  remoteTree,
  run,
  runToEnd,
  savedTree,
} from "./sync-fixture.ts";

/** Of the book, and what is added between the kills. */
const DOCUMENTS = 1_000;

export async function proveKills(times: number, seed: number): Promise<void> {
  await proveKilled("clone", times, seed);
  await proveKilled("push", times, seed + 1);
}

async function proveKilled(direction: "clone" | "push", times: number, seed: number): Promise<void> {
  const fixture = await openFixture({}, undefined, DOCUMENTS);
  const corpus = join(fixture.folder, "corpus");
  mkdirSync(corpus);
  execFileSync("tar", ["xf", join(CORPORA, "rust-book.tar.gz"), "-C", corpus]);
  const source = join(corpus, "rust-book");
  if (direction === "clone") await importFolder(fixture.data, source, () => undefined);
  const notes = direction === "clone" ? join(fixture.folder, "notes") : source;
  const before =
    direction === "clone"
      ? new Map([...(await remoteTree(fixture))].map(([path, { digest }]) => [path, digest]))
      : savedTree(notes);
  const fraction = rolls(seed);
  let kills = 0;
  let runs = 0;
  let started = false;
  while (kills < times && runs < times * 6) {
    runs++;
    // A start takes about 0.15 s, a whole run about 1 s, a run with little to do 0.3 s: most kills
    // fall into its work.
    const after = 100 + fraction() * (started ? 300 : 900);
    const args = started ? ["sync", notes] : ["init", notes, "--url", fixture.server.url, "--yes"];
    const ran = await run(fixture, args, (child) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), after);
      child.once("close", () => clearTimeout(timer));
    });
    if (ran.code === null) kills++;
    // The folder of a clone is not there before `init` makes it.
    started = existsSync(join(notes, ".mdmirror/config.json"));
    if (ran.code !== null) await disturb(fixture, direction, notes, runs);
  }
  if (!started) await runToEnd(fixture, ["init", notes, "--url", fixture.server.url, "--yes"]);
  await runToEnd(fixture, ["sync", notes]);
  const last = await runToEnd(fixture, ["sync", notes, "--json"]);
  const remote = await remoteTree(fixture);
  const local = direction === "clone" ? localTree(notes) : savedTree(notes);
  const texts = new Set([...local.values(), ...[...remote.values()].map((document) => document.digest)]);
  const lost = [...before.values()].filter((text) => !texts.has(text)).length;
  const links = readLinks(notes);
  const differing = [...links].filter(([from, to]) => remote.get(to)?.digest !== local.get(from));
  const twice =
    remote.size -
    links.size +
    [...local.keys()].filter((path) => !links.has(path) && !readHolds(notes).has(path)).length;
  const litter = readdirSync(join(notes, ".mdmirror/tmp")).filter((name) => !name.startsWith("park-")).length;
  line(
    `${direction} of rust-book killed`,
    `${kills} of ${runs} runs ended by kill -9; then exit ${last.code}, ${lost} texts lost, ${twice} documents on one side alone, ${differing.length} differ, ${litter} temp files`,
    lost === 0 && twice === 0 && differing.length === 0 && litter === 0,
  );
  await fixture.end();
}

/** A run that ended gives the next ones work again: more documents on the side that is copied. */
async function disturb(fixture: Fixture, direction: "clone" | "push", notes: string, n: number): Promise<void> {
  for (let k = 0; k < 200; k++) {
    const text = `more ${n} ${k}\n`;
    if (direction === "clone") await fixture.call("POST", "/v1/files", { path: `more/${n}-${k}.md`, content: text });
    else {
      mkdirSync(join(notes, "more"), { recursive: true });
      writeFileSync(join(notes, "more", `${n}-${k}.md`), text);
    }
  }
}

function rolls(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
