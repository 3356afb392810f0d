/**
 * Kills `watch` by kill -9 again and again, while an editor saves and documents are edited on the
 * service. At the end syncs until nothing changes.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startDaemon } from "./at-once.ts";
import {
  docPath,
  editOnService,
  type Rig,
  fillService,
  findOnService,
  freshMark,
  linkAndSync,
  openRig,
} from "./fixture.ts";
import { countDamage, openLedger, recordState } from "./oracle.ts";
import { withLine } from "./marked.ts";
import { SAVE_METHODS } from "./person.ts";
import { startEditor } from "./races.ts";
import type { Fault, Row, Soak } from "./row.ts";

const DOCUMENTS = 40;

/**
 * Kills the daemon at random moments, while a user's editor saves and renames files, and documents
 * are edited on the service.
 */
async function killWatch({ rounds, seed }: Soak): Promise<Row> {
  const ledger = openLedger();
  const person = await startEditor();
  const rig = await openRig(seed);
  const { dice } = rig;
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  const before = await recordState(rig);
  const saves = new Map<string, number>();
  let [remote, moves] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const daemon = await startDaemon(rig);
    const until = performance.now() + 200 + dice.below(2_500);
    while (performance.now() < until && daemon.child.exitCode === null) {
      const n = dice.below(DOCUMENTS);
      const path = await here(rig, n);
      const manner = dice.pick(SAVE_METHODS);
      const mark = freshMark(rig);
      const save = { path: join(rig.notes, path), paragraph: dice.below(4), mark, manner };
      await person.save({ ...save, before: 0, between: dice.below(20) });
      saves.set(manner, (saves.get(manner) ?? 0) + 1);
      if (dice.below(2) === 0) {
        await editOnService(rig, await there(rig, dice.below(DOCUMENTS)), 5 + dice.below(4), withLine);
        remote++;
      }
      if (dice.below(8) === 0) {
        await move(rig, dice.below(DOCUMENTS));
        moves++;
      }
      await wait(dice.below(150));
    }
    daemon.child.kill("SIGKILL");
    const end = await daemon.ended;
    ledger.ended(end.code);
    if (end.code !== null)
      ledger.broken.push(`round ${round} (seed ${seed}): the daemon ended: ${end.out.slice(-900)}`);
  }
  ledger.add(`the end (seed ${seed})`, await countDamage(rig, before), [0, 3]);
  await rig.end();
  person.leave();
  ledger.broken.push(...person.failures);
  const counted = { ...ledger.figures, saves: shown(saves), "edits there": remote, moves, exits: ledger.exits() };
  return { fault: "kill-watch", rounds, counted, broken: ledger.broken };
}

const shown = (saves: ReadonlyMap<string, number>) => [...saves].map(([by, n]) => `${by} ${n}`).join(" + ");

/** Returns the two possible paths of a document: its first one, and the one after a rename. */
const placesOf = (n: number) => [docPath(n), `moved/doc-${n}.md`] as const;

/**
 * Returns the local path of a document. Looks repeatedly, because a path is free for some
 * microseconds while mdmirror replaces the file.
 */
async function here(rig: Rig, n: number): Promise<string> {
  for (let tries = 0; tries < 2_000; tries++) {
    const found = placesOf(n).find((path) => existsSync(join(rig.notes, path)));
    if (found !== undefined) return found;
    await wait(1);
  }
  throw new Error(`doc ${n} is at neither of its places`);
}

async function there(rig: Rig, n: number): Promise<string> {
  for (const path of placesOf(n)) if ((await findOnService(rig, path)) !== null) return path;
  throw new Error(`doc ${n} is at neither of its places on the service`);
}

async function move(rig: Rig, n: number): Promise<void> {
  const [from, to] = [await here(rig, n), placesOf(n)];
  mkdirSync(join(rig.notes, "moved"), { recursive: true });
  try {
    renameSync(join(rig.notes, from), join(rig.notes, from === to[0] ? to[1] : to[0]));
  } catch (error) {
    // mdmirror is replacing the file. A user would try again; here a later move does.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

export const DAEMONS: readonly Fault[] = [{ name: "kill-watch", rounds: 30, quick: 2, run: killWatch }];
