/**
 * kill -9 at random moments of a clone, a push, a sync that merges, and a migration. Then syncs run
 * to their end, and what is left is counted.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import {
  type Ended,
  type Rig,
  ROOT,
  docPath,
  editLocally,
  editOnService,
  fillService,
  initArgs,
  linkAndSync,
  createOnService,
  openRig,
  run,
  start,
  writeLocally,
} from "./fixture.ts";
import { newText } from "./marked.ts";
import { countDamage, type Ledger, openLedger, recordState } from "./oracle.ts";
import type { Fault, Row, Soak } from "./row.ts";

const DOCUMENTS = 120;
/**
 * Documents of a clone: many more than are downloaded at the same time, so that a kill or a full
 * disk meets all stages.
 */
const CLONED = 600;

/**
 * Kills a process at a random moment of its usual time or, every second time, some milliseconds
 * after its n-th request.
 * @param usual time in ms and number of requests without a kill
 */
async function runKilled(
  rig: Rig,
  args: readonly string[],
  usual: { readonly ms: number; readonly requests: number },
): Promise<Ended> {
  const { dice } = rig;
  const { child, ended } = start(rig, args);
  const kill = () => void child.kill("SIGKILL");
  let timer: NodeJS.Timeout | undefined;
  let left = 1 + dice.below(Math.max(1, usual.requests));
  const hook = () => {
    if (--left === 0) timer = setTimeout(kill, dice.below(20));
  };
  if (dice.below(2) === 0) rig.hooks.add(hook);
  else timer = setTimeout(kill, usual.ms * (0.2 + dice.fraction() * 0.9));
  const end = await ended;
  clearTimeout(timer);
  rig.hooks.delete(hook);
  return end;
}

function rowOf(fault: string, rounds: number, ledger: Ledger, more: Row["counted"] = {}): Row {
  const counted = { ...ledger.figures, ...more, exits: ledger.exits() };
  return { fault, rounds, counted, broken: ledger.broken };
}

/** Kills a first sync. Each round is a new clone or push, which is killed three times. */
async function killFirstSync(direction: "clone" | "push", { rounds, seed }: Soak): Promise<Row> {
  const ledger = openLedger();
  let kills = 0;
  for (let round = 0; kills < rounds; round++) {
    const rig = await openRig(seed * 1_000 + round);
    const documents = direction === "clone" ? CLONED : DOCUMENTS;
    for (let n = 0; n < documents; n++) {
      if (direction === "clone") await createOnService(rig, docPath(n), newText(`doc ${n}`));
      else writeLocally(rig, docPath(n), newText(`doc ${n}`));
    }
    const before = await recordState(rig);
    for (let times = 0; times < 3; times++) {
      const isLinked = existsSync(join(rig.notes, ".mdmirror/config.json"));
      const args = isLinked ? ["sync", rig.notes] : initArgs(rig);
      const end = await runKilled(rig, args, { ms: 900, requests: documents });
      ledger.ended(end.code);
      if (end.code === null) kills++;
    }
    if (!existsSync(join(rig.notes, ".mdmirror/config.json"))) await run(rig, initArgs(rig));
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before));
    await rig.end();
  }
  return rowOf(`kill-${direction}`, kills, ledger);
}

/**
 * Kills syncs after edits on both sides: in different paragraphs (merges) and in the same one
 * (conflicts).
 */
async function killMerge({ rounds, seed }: Soak): Promise<Row> {
  const ledger = openLedger();
  const rig = await openRig(seed);
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  let kills = 0;
  let merges = 0;
  let conflicts = 0;
  for (let round = 0; kills < rounds; round++) {
    const [first, clash] = [rig.dice.below(DOCUMENTS), rig.dice.below(DOCUMENTS)];
    for (let k = 0; k < 30; k++) {
      const n = (first + k) % DOCUMENTS;
      const paragraph = rig.dice.below(9);
      // Documents in conflict are not edited, because conflicts are tested elsewhere.
      if (hasConflictCopy(rig, n)) continue;
      editLocally(rig, docPath(n), paragraph);
      await editOnService(rig, docPath(n), n === clash ? paragraph : paragraph + 4);
      if (n === clash) conflicts++;
      else merges++;
    }
    const before = await recordState(rig);
    // Nobody edits between these syncs: content that a user replaces before a sync saw it need not
    // be kept.
    for (let times = rig.dice.below(3); times >= 0; times--) {
      const end = await runKilled(rig, ["sync", rig.notes], { ms: 700, requests: 70 });
      ledger.ended(end.code);
      if (end.code === null) kills++;
    }
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 2 }), [0, 3]);
  }
  await rig.end();
  return rowOf("kill-merge", kills, ledger, { merges, conflicts });
}

const hasConflictCopy = (rig: Rig, n: number) =>
  existsSync(join(rig.notes, docPath(n).replace(/\.md$/, " (theirs).md")));

/** Tables and columns with another name in version 6 → their present names. */
const RENAMED: Readonly<Record<string, string>> = { links: "records", holds: "blocked", standing: "state" };
const presentName = (name: string) => RENAMED[name] ?? name;

/**
 * Writes the present rows of a state into a file of version 6, whose tables come from a fixture.
 */
function toVersion6(notes: string): void {
  const file = join(notes, ".mdmirror/state.db");
  const fixture = readFileSync(join(ROOT, "test/state/fixtures/state-v6.sql"), "utf8");
  const old = new Sqlite(`${file}.v6`);
  old.exec(fixture);
  old.exec(`ATTACH '${file}' AS now`);
  const tables = old.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  for (const table of tables.pluck().all() as string[]) {
    old.exec(`DELETE FROM main.${table}`);
    // Conflicts have other columns now; these rounds have none.
    if (table === "conflicts") continue;
    const names = old.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
    const from = `SELECT ${names.map(presentName).join(", ")} FROM now.${presentName(table)}`;
    old.exec(`INSERT INTO main.${table} (${names.join(", ")}) ${from}`);
  }
  // The upgrade adds this row.
  old.exec("DELETE FROM main.meta WHERE key = 'losses.lately'");
  old.exec("DETACH now");
  old.close();
  rmSync(file);
  new Sqlite(`${file}.v6`).exec(`VACUUM INTO '${file}'`).close();
  rmSync(`${file}.v6`);
}

async function killMigration({ rounds, seed }: Soak): Promise<Row> {
  const ledger = openLedger();
  const rig = await openRig(seed);
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  const version = () => {
    const db = new Sqlite(join(rig.notes, ".mdmirror/state.db"), { readonly: true });
    const found = db.pragma("user_version", { simple: true }) as number;
    db.close();
    return found;
  };
  const newest = version();
  let kills = 0;
  let stillOld = 0;
  for (let round = 0; kills < rounds; round++) {
    toVersion6(rig.notes);
    if (version() !== 6) throw new Error("the state is not one of version 6");
    editLocally(rig, docPath(round % DOCUMENTS), 1);
    await editOnService(rig, docPath((round + 40) % DOCUMENTS), 1);
    const before = await recordState(rig);
    const end = await runKilled(rig, ["sync", rig.notes], { ms: 350, requests: 3 });
    ledger.ended(end.code);
    if (end.code === null) kills++;
    if (version() === 6) stillOld++;
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 1 }));
    if (version() !== newest) ledger.broken.push(`round ${round}: the state stayed at version ${version()}`);
  }
  await rig.end();
  return rowOf("kill-migration", kills, ledger, { "killed before it": stillOld });
}

export const KILLS: readonly Fault[] = [
  { name: "kill-clone", rounds: 60, quick: 3, run: (soak) => killFirstSync("clone", soak) },
  { name: "kill-push", rounds: 60, quick: 3, run: (soak) => killFirstSync("push", soak) },
  { name: "kill-merge", rounds: 60, quick: 3, run: killMerge },
  { name: "kill-migration", rounds: 60, quick: 3, run: killMigration },
];
