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
  type SoakFixture,
  findOnService,
  initArgs,
  linkAndSync,
  createOnService,
  expectOk,
  openSoakFixture,
  run,
  start,
  writeLocally,
  fillService,
} from "./fixture.ts";
import { newText } from "./marked.ts";
import { countDamage, openLedger, recordState } from "./judge.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 60;

type Damage = {
  readonly name: string;
  /** Prepares the damage before the last undamaged sync, such as a copy of the older state. */
  readonly prepare?: (mirror: string, field: SoakFixture) => void | Promise<void>;
  readonly make: (mirror: string, dice: Dice) => void;
  /** Exit codes that the next sync may have. */
  readonly codes: readonly number[];
  /** What a user does if mdmirror asks for it. */
  readonly repair?: (field: SoakFixture) => Promise<unknown>;
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
  return async (mirror, field) => {
    const { child, ended } = start(field, ["sync", field.notes]);
    const copy = () => copyFileSync(join(mirror, file), join(mirror, `${file}.older`));
    copy();
    let left = 12;
    const hook = () => {
      if (--left === 0) child.kill("SIGKILL");
    };
    field.hooks.add(hook);
    await ended;
    field.hooks.delete(hook);
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
    repair: async (field) => {
      rmSync(join(field.notes, ".mdmirror/config.json"));
      return run(field, initArgs(field));
    },
  },
  {
    name: "config.json: gone",
    make: (mirror) => rmSync(join(mirror, "config.json")),
    codes: [2],
    repair: (field) => run(field, initArgs(field)),
  },
  {
    name: "marker: gone",
    make: (mirror) => rmSync(join(mirror, "marker")),
    codes: [4],
    // The steps that the command `approve` suggests.
    repair: (field) => {
      renameSync(join(field.notes, ".mdmirror"), join(field.folder, "mdmirror.away"));
      return run(field, initArgs(field));
    },
  },
  {
    name: "all of .mdmirror: gone",
    make: (mirror) => rmSync(mirror, { recursive: true }),
    codes: [2],
    repair: (field) => run(field, initArgs(field)),
  },
];

async function damaged({ rounds, seed }: Soak) {
  const ledger = openLedger();
  let setAside = 0;
  for (let round = 0; round < rounds; round++) {
    const damage = DAMAGES[round % DAMAGES.length]!;
    const where = `round ${round} (seed ${seed}), ${damage.name}`;
    const field = await openSoakFixture(seed * 1_000 + round);
    const mirror = join(field.notes, ".mdmirror");
    await fillService(field, DOCUMENTS);
    await linkAndSync(field);
    // Changes that an older copy of the state does not contain.
    await past(field);
    await damage.prepare?.(mirror, field);
    await run(field, ["sync", field.notes]);
    await waiting(field);
    const before = await recordState(field);
    field.marks.clear();
    field.writes.length = 0;
    damage.make(mirror, field.dice);
    const ended = await run(field, ["sync", field.notes]);
    ledger.ended(ended.code);
    if (ended.code === null || !damage.codes.includes(ended.code) || /fault of mdmirror itself/.test(ended.out))
      ledger.broken.push(`${where}: exit ${ended.code}: ${ended.out.trim()}`);
    const deleted = field.writes.filter((write) => write.startsWith("DELETE"));
    if (deleted.length > 0) ledger.broken.push(`${where}: deleted on the service: ${deleted.join(", ")}`);
    if (existsSync(join(mirror, "damaged"))) setAside++;
    await damage.repair?.(field);
    ledger.add(where, await countDamage(field, before, { syncs: 1 }), [0, 3]);
    await field.end();
  }
  const counted = { ...ledger.figures, kinds: DAMAGES.length, "set aside": setAside, exits: ledger.exits() };
  return { fault: "damage", rounds, counted, broken: ledger.broken };
}

/** Makes edits, a move and new documents on both sides. */
async function past(field: SoakFixture): Promise<void> {
  for (const n of [1, 2, 3, 4, 5]) await editOnService(field, docPath(n), 1);
  for (const n of [4, 5, 6, 7, 8]) editLocally(field, docPath(n), 5);
  writeLocally(field, "new-here.md", newText("new here"));
  await createOnService(field, "new-there.md", newText("new there"));
  expectOk(await field.call("PATCH", `/v1/files/${await findOnService(field, docPath(9))}`, { name: "moved.md" }));
}

/** Makes edits for the sync after the damage: on each side alone, and on both. */
async function waiting(field: SoakFixture): Promise<void> {
  for (const n of [10, 11]) await editOnService(field, docPath(n), 1);
  for (const n of [11, 12]) editLocally(field, docPath(n), 5);
  for (const n of [4, 14]) await editOnService(field, docPath(n), 2);
}

export const DAMAGED: readonly Fault[] = [
  { name: "damage", rounds: 3 * DAMAGES.length, quick: DAMAGES.length, run: damaged },
];
