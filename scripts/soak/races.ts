/**
 * Saves between plan and write: `sync` requests a document's content just before it replaces the
 * file. At that request, another process saves the same document. No save may be lost.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { WireRequest } from "../../src/contract/wire.ts";
import {
  type Rig,
  docPath,
  editOnService,
  fillService,
  freshMark,
  linkAndSync,
  openRig,
  readRemote,
  run,
} from "./fixture.ts";
import { countDamage, localTexts, openLedger, recordState } from "./oracle.ts";
import { SAVE_METHODS, type Save } from "./person.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 100;

export async function startEditor() {
  const script = join(import.meta.dirname, "person.ts");
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<string, () => void>();
  const failures: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [first, mark] = line.split(" ");
    if (first === "failed") failures.push(line);
    waiting.get(first === "failed" ? mark! : line)?.();
  });
  return {
    failures,
    save: (save: Save): Promise<void> =>
      new Promise((saved) => {
        waiting.set(save.mark, saved);
        child.stdin.write(`${JSON.stringify(save)}\n`);
      }),
    leave: () => child.stdin.end(),
  };
}

/**
 * Counts saves as rounds. Each document is saved once in a sync, because content that its user
 * replaces before a sync saw it need not be kept.
 */
async function races({ rounds: wanted, seed }: Soak) {
  const ledger = openLedger();
  const rig = await openRig(seed);
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  const person = await startEditor();
  const pathOf = new Map([...(await readRemote(rig))].map(([path, { id }]) => [id, path]));
  let saves = 0;
  let stale = 0;
  for (let round = 0; saves < wanted; round++) {
    const where = `round ${round} (seed ${seed})`;
    const those = Array.from({ length: Math.min(DOCUMENTS, wanted - saves) }, (_, n) => docPath(n));
    // Edits the last four paragraphs in turn, because contents must not grow.
    for (const path of those) await editOnService(rig, path, 5 + (round % 4));
    const saving = new Map<string, Promise<void>>();
    const hook = ({ method, path }: WireRequest) => {
      const id = /^\/v1\/files\/([^/?]+)$/.exec(path)?.[1];
      const document = id === undefined ? undefined : pathOf.get(id);
      if (method !== "GET" || document === undefined || saving.has(document) || !those.includes(document)) return;
      saving.set(document, person.save(saveOf(rig, document, round)));
    };
    const before = await recordState(rig);
    rig.hooks.add(hook);
    const ended = await run(rig, ["sync", rig.notes], { env: { MDMIRROR_LOG: "debug" } });
    rig.hooks.delete(hook);
    ledger.ended(ended.code);
    await Promise.all(saving.values());
    saves += saving.size;
    stale += staleOutcomes(rig.notes);
    if (ended.code !== 0 && ended.code !== 3) ledger.broken.push(`${where}: exit ${ended.code}: ${ended.out.trim()}`);
    ledger.add(where, await countDamage(rig, before, { syncs: 2 }), [0, 3]);
    if (saving.size === 0) throw new Error(`no text was asked for: ${ended.out}`);
  }
  for (const failure of person.failures) ledger.broken.push(`the person could not save: ${failure}`);
  person.leave();
  const beside = [...localTexts(rig.notes).keys()].filter((path) => /-late(-\d+)?\.md$/.test(path)).length;
  await rig.end();
  if (stale === 0) ledger.broken.push("no save ever came between plan and write");
  const counted = { ...ledger.figures, "found changed": stale, "put beside": beside, exits: ledger.exits() };
  return { fault: "races", rounds: saves, counted, broken: ledger.broken };
}

function saveOf(rig: Rig, document: string, round: number): Save {
  const { dice } = rig;
  return {
    path: join(rig.notes, document),
    paragraph: round % 4,
    mark: freshMark(rig),
    manner: dice.pick(SAVE_METHODS),
    before: dice.below(4),
    between: dice.below(6),
  };
}

/** Returns the number of stale steps in the log, and removes the log. */
function staleOutcomes(notes: string): number {
  const folder = join(notes, ".mdmirror/log");
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  rmSync(folder, { recursive: true });
  return lines.filter((line) => line.includes('"event":"stale"')).length;
}

export const RACES: readonly Fault[] = [{ name: "races", rounds: 1_000, quick: 100, run: races }];
