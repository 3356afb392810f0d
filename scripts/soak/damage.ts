/**
 * State files with flipped bits, truncated, removed, or older than the folder; and a lost
 * configuration or marker. Both sides have changes to sync.
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Dice } from "../../test/simulator/dice.ts";
import {
  docPath,
  editLocally,
  editOnService,
  type Rig,
  findOnService,
  initArgs,
  linkAndSync,
  createOnService,
  expectOk,
  openRig,
  run,
  start,
  writeLocally,
  fillService,
} from "./fixture.ts";
import { newText } from "./marked.ts";
import { countDamage, openLedger, recordState } from "./oracle.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 60;

type Damage = {
  readonly name: string;
  /** Prepares the damage before the last undamaged sync, such as a copy of the older state. */
  readonly prepare?: (mirror: string, rig: Rig) => void | Promise<void>;
  readonly make: (mirror: string, dice: Dice) => void;
  /** Exit codes that the next sync may have. */
  readonly codes: readonly number[];
  /** What a user does if mdmirror asks for it. */
  readonly repair?: (rig: Rig) => Promise<unknown>;
};

function flip(file: string, dice: Dice, times: number): void {
  const bytes = readFileSync(file);
  for (let n = 0; n < times && bytes.length > 0; n++) bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8);
  writeFileSync(file, bytes);
}

/** Overwrites a random range with noise. */
function scramble(file: string, dice: Dice): void {
  const bytes = readFileSync(file);
  const at = dice.below(bytes.length);
  for (let n = at; n < Math.min(bytes.length, at + 1 + dice.below(9_000)); n++) bytes[n] = dice.below(256);
  writeFileSync(file, bytes);
}

/** Overwrites every third page. */
function blotPages(file: string): void {
  const bytes = readFileSync(file);
  for (let at = 4_096 * 3; at < bytes.length; at += 3 * 4_096) bytes.fill(0xa5, at, at + 4_096);
  writeFileSync(file, bytes);
}

const DATABASES = ["state.db", "texts.db"] as const;

function damagesOf(file: (typeof DATABASES)[number]): Damage[] {
  // 1: the sync met the damage while it worked, and the next sync repairs it.
  const codes = file === "texts.db" ? [0, 1, 3] : [0, 3];
  const at = (mirror: string) => join(mirror, file);
  const keep = (mirror: string) => copyFileSync(at(mirror), `${at(mirror)}.older`);
  const giveBack = (mirror: string) => {
    copyFileSync(`${at(mirror)}.older`, at(mirror));
    rmSync(`${at(mirror)}.older`);
  };
  return [
    { name: `${file}: flipped bits`, make: (mirror, dice) => flip(at(mirror), dice, 1 + dice.below(40)), codes },
    { name: `${file}: flipped header`, make: (mirror, dice) => flipHeader(at(mirror), dice), codes },
    // Opening does not read these pages, so the damage may only be met later; the next sync repairs
    // it.
    { name: `${file}: pages of noise`, make: (mirror) => blotPages(at(mirror)), codes: [0, 1, 3] },
    { name: `${file}: noise`, make: (mirror, dice) => scramble(at(mirror), dice), codes },
    {
      name: `${file}: cut`,
      make: (mirror, dice) => truncateSync(at(mirror), dice.below(readFileSync(at(mirror)).length)),
      codes,
    },
    { name: `${file}: empty`, make: (mirror) => truncateSync(at(mirror), 0), codes },
    { name: `${file}: longer`, make: (mirror, dice) => appendFileSync(at(mirror), dice.hex(3_000)), codes },
    { name: `${file}: gone`, make: (mirror) => rmSync(at(mirror)), codes },
    { name: `${file}: an older copy`, prepare: keep, make: giveBack, codes },
    { name: `${file}: an older copy under a newer WAL`, prepare: keepAndKill(file), make: giveBack, codes },
  ];
}

function flipHeader(file: string, dice: Dice): void {
  const bytes = readFileSync(file);
  bytes[dice.below(100)]! ^= 1 << dice.below(8);
  writeFileSync(file, bytes);
}

/**
 * Keeps a copy of the file, then kills a sync in the middle of its work, so that its WAL is left.
 */
function keepAndKill(file: string): NonNullable<Damage["prepare"]> {
  return async (mirror, rig) => {
    const { child, ended } = start(rig, ["sync", rig.notes]);
    const copy = () => copyFileSync(join(mirror, file), join(mirror, `${file}.older`));
    copy();
    let left = 12;
    const hook = () => {
      if (--left === 0) child.kill("SIGKILL");
    };
    rig.hooks.add(hook);
    await ended;
    rig.hooks.delete(hook);
  };
}

const DAMAGES: readonly Damage[] = [
  ...DATABASES.flatMap(damagesOf),
  {
    name: "both: gone",
    make: (mirror) => {
      for (const file of DATABASES) rmSync(join(mirror, file));
    },
    codes: [0, 3],
  },
  {
    name: "both: older copies",
    prepare: (mirror) => {
      for (const file of DATABASES) copyFileSync(join(mirror, file), join(mirror, `${file}.older`));
    },
    make: (mirror) => {
      for (const file of DATABASES) {
        copyFileSync(join(mirror, `${file}.older`), join(mirror, file));
        rmSync(join(mirror, `${file}.older`));
      }
    },
    codes: [0, 3],
  },
  {
    name: "lock.db: noise",
    make: (mirror, dice) => writeFileSync(join(mirror, "lock.db"), dice.hex(9_000)),
    codes: [0],
  },
  { name: "lock.db: gone", make: (mirror) => rmSync(join(mirror, "lock.db")), codes: [0] },
  {
    name: "lock.json: noise",
    make: (mirror, dice) => writeFileSync(join(mirror, "lock.json"), dice.hex(99)),
    codes: [0],
  },
  {
    name: "config.json: noise",
    make: (mirror, dice) => writeFileSync(join(mirror, "config.json"), dice.hex(99)),
    codes: [2],
    repair: async (rig) => {
      rmSync(join(rig.notes, ".mdmirror/config.json"));
      return run(rig, initArgs(rig));
    },
  },
  {
    name: "config.json: gone",
    make: (mirror) => rmSync(join(mirror, "config.json")),
    codes: [2],
    repair: (rig) => run(rig, initArgs(rig)),
  },
  {
    name: "marker: gone",
    make: (mirror) => rmSync(join(mirror, "marker")),
    codes: [4],
    // The steps that the command `approve` suggests.
    repair: (rig) => {
      renameSync(join(rig.notes, ".mdmirror"), join(rig.folder, "mdmirror.away"));
      return run(rig, initArgs(rig));
    },
  },
  {
    name: "all of .mdmirror: gone",
    make: (mirror) => rmSync(mirror, { recursive: true }),
    codes: [2],
    repair: (rig) => run(rig, initArgs(rig)),
  },
];

async function damaged({ rounds, seed }: Soak) {
  const ledger = openLedger();
  let setAside = 0;
  for (let round = 0; round < rounds; round++) {
    const damage = DAMAGES[round % DAMAGES.length]!;
    const where = `round ${round} (seed ${seed}), ${damage.name}`;
    const rig = await openRig(seed * 1_000 + round);
    const mirror = join(rig.notes, ".mdmirror");
    await fillService(rig, DOCUMENTS);
    await linkAndSync(rig);
    // Changes that an older copy of the state does not contain.
    await past(rig);
    await damage.prepare?.(mirror, rig);
    await run(rig, ["sync", rig.notes]);
    await waiting(rig);
    const before = await recordState(rig);
    rig.marks.clear();
    rig.writes.length = 0;
    damage.make(mirror, rig.dice);
    const ended = await run(rig, ["sync", rig.notes]);
    ledger.ended(ended.code);
    if (ended.code === null || !damage.codes.includes(ended.code) || /fault of mdmirror itself/.test(ended.out))
      ledger.broken.push(`${where}: exit ${ended.code}: ${ended.out.trim()}`);
    const deleted = rig.writes.filter((write) => write.startsWith("DELETE"));
    if (deleted.length > 0) ledger.broken.push(`${where}: deleted on the service: ${deleted.join(", ")}`);
    if (existsSync(join(mirror, "damaged"))) setAside++;
    await damage.repair?.(rig);
    ledger.add(where, await countDamage(rig, before, { syncs: 1 }), [0, 3]);
    await rig.end();
  }
  const counted = { ...ledger.figures, kinds: DAMAGES.length, "set aside": setAside, exits: ledger.exits() };
  return { fault: "damage", rounds, counted, broken: ledger.broken };
}

/** Makes edits, a move and new documents on both sides. */
async function past(rig: Rig): Promise<void> {
  for (const n of [1, 2, 3, 4, 5]) await editOnService(rig, docPath(n), 1);
  for (const n of [4, 5, 6, 7, 8]) editLocally(rig, docPath(n), 5);
  writeLocally(rig, "new-here.md", newText("new here"));
  await createOnService(rig, "new-there.md", newText("new there"));
  expectOk(await rig.call("PATCH", `/v1/files/${await findOnService(rig, docPath(9))}`, { name: "moved.md" }));
}

/** Makes edits for the sync after the damage: on each side alone, and on both. */
async function waiting(rig: Rig): Promise<void> {
  for (const n of [10, 11]) await editOnService(rig, docPath(n), 1);
  for (const n of [11, 12]) editLocally(rig, docPath(n), 5);
  for (const n of [4, 14]) await editOnService(rig, docPath(n), 2);
}

export const DAMAGED: readonly Fault[] = [
  { name: "damage", rounds: 3 * DAMAGES.length, quick: DAMAGES.length, run: damaged },
];
