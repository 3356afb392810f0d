/**
 * Folders and files that may not be written or read: the rest goes on, nothing is taken for
 * deleted, and all comes right when it is allowed again.
 */
import { chmodSync, chownSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  docPath,
  editHere,
  editThere,
  type Field,
  findThere,
  initArgs,
  makeThere,
  must,
  openField,
  run,
  fillThere,
} from "./field.ts";
import { newText } from "./marked.ts";
import { judge, openLedger, rememberBefore } from "./judge.ts";
import type { Fault, Soak } from "./row.ts";
import { liveThere } from "./sync-fixture.ts";

const DOCUMENTS = 42;
/** `nobody`: permissions say nothing to root, so its processes run as another user. */
const NOBODY = 65_534;

type Denial = {
  readonly name: string;
  /** Paths below `notes`, each with the mode it gets. */
  readonly modes: readonly (readonly [path: string, mode: number])[];
  /** How a sync may end meanwhile. */
  readonly codes: readonly number[];
};

const TOPIC = "topic-1";
const DENIALS: readonly Denial[] = [
  { name: "a read-only folder", modes: [[TOPIC, 0o555]], codes: [3] },
  { name: "a read-only file", modes: [[docPath(1), 0o444]], codes: [0] },
  { name: "a read-only root", modes: [["", 0o555]], codes: [0, 3] },
  { name: "an unreadable file", modes: [[docPath(1), 0o000]], codes: [0, 3] },
  { name: "an unreadable folder", modes: [[TOPIC, 0o000]], codes: [0, 3] },
  { name: "a folder that can be listed, not entered", modes: [[TOPIC, 0o444]], codes: [0, 3] },
  { name: "a read-only .mdmirror", modes: [[".mdmirror", 0o555]], codes: [0, 1, 3] },
  { name: "a read-only .mdmirror/tmp", modes: [[".mdmirror/tmp", 0o555]], codes: [0, 1, 3] },
  { name: "a read-only trash", modes: [[".mdmirror/trash", 0o555]], codes: [0, 1, 3] },
  { name: "a read-only state", modes: [[".mdmirror/state.db", 0o444]], codes: [1] },
  { name: "a read-only text store", modes: [[".mdmirror/texts.db", 0o444]], codes: [1] },
  { name: "an unreadable state", modes: [[".mdmirror/state.db", 0o000]], codes: [1] },
  { name: "an unreadable config", modes: [[".mdmirror/config.json", 0o000]], codes: [2] },
];

async function readOnly({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const as = process.getuid?.() === 0 ? NOBODY : undefined;
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    for (const denial of DENIALS) {
      const where = `round ${round} (seed ${seed}), ${denial.name}`;
      const field = await openField(seed * 1_000 + round);
      if (as !== undefined) chownSync(field.folder, as, as);
      await fillThere(field, DOCUMENTS);
      await run(field, initArgs(field), { as });
      // Something in the trash, so that there is one.
      must(await field.call("DELETE", `/v1/files/${await findThere(field, docPath(41))}`));
      await run(field, ["sync", field.notes], { as });
      await disturb(field);
      const before = await rememberBefore(field);
      const restore = deny(field, denial);
      for (let times = 0; times < 2; times++) {
        const ended = await run(field, ["sync", field.notes], { as });
        ledger.ended(ended.code);
        if (ended.code !== 0) held++;
        if (ended.code === null || !denial.codes.includes(ended.code) || /fault of mdmirror itself/.test(ended.out))
          ledger.broken.push(`${where}: exit ${ended.code}: ${ended.out.trim()}`);
      }
      if (field.writes.some((write) => write.startsWith("DELETE")))
        ledger.broken.push(`${where}: deleted on the service: ${field.writes.join(", ")}`);
      restore();
      if (!existsSync(join(field.notes, docPath(2))) && (await liveThere(field)).has(docPath(2)))
        ledger.broken.push(`${where}: gone here`);
      ledger.add(where, await judge(field, before, { as, syncs: 2 }));
      await field.end();
    }
  }
  const counted = { ...ledger.figures, kinds: DENIALS.length, "told the user": held, exits: ledger.exits() };
  return { fault: "read-only", rounds: rounds * DENIALS.length, counted, broken: ledger.broken };
}

/**
 * Work for each side, in the denied places and elsewhere: edits, a merge, a new document, a
 * deletion there.
 */
async function disturb(field: Field): Promise<void> {
  for (const n of [1, 2, 8]) await editThere(field, docPath(n), 1);
  for (const n of [2, 3, 15]) editHere(field, docPath(n), 6);
  await makeThere(field, `${TOPIC}/new.md`, newText("new there"));
  must(await field.call("DELETE", `/v1/files/${await findThere(field, docPath(22))}`));
  must(await field.call("DELETE", `/v1/files/${await findThere(field, docPath(23))}`));
  field.writes.length = 0;
}

/** @returns what gives the old modes back */
function deny(field: Field, { modes }: Denial): () => void {
  const old = modes.map(([path]) => [join(field.notes, path), statSync(join(field.notes, path)).mode & 0o777] as const);
  for (const [path, mode] of modes) chmodSync(join(field.notes, path), mode);
  return () => {
    for (const [path, mode] of old) if (existsSync(path)) chmodSync(path, mode);
  };
}

export const READ_ONLY: readonly Fault[] = [{ name: "read-only", rounds: 2, quick: 1, run: readOnly }];
