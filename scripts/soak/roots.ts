/**
 * The linked folder has been replaced: it is empty, a symlink, a copy, moved or unmounted. No
 * command may then delete anything on the service.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Rig, docPath, editOnService, fillService, linkAndSync, openRig, readRemote, run } from "./fixture.ts";
import { newText } from "./marked.ts";
import { bind, mount, unmount, unmountLazily, whyNoMounts } from "./mounts.ts";
import { countDamage, openLedger, recordState } from "./oracle.ts";
import type { Fault, Soak } from "./row.ts";

const DOCUMENTS = 40;

type Replaced = {
  readonly name: string;
  readonly mounted?: true;
  readonly make: (notes: string) => void;
  /** Exit codes of a sync meanwhile: 2 for no linked folder, 4 for a stop by a safety check. */
  readonly codes: readonly number[];
  /** What a user does to repair it. `approve`: the user confirms the new folder. */
  readonly repair: (notes: string) => void;
  readonly approve?: true;
  /** Ending of the folder's path after the repair. */
  readonly moved?: string;
};

const aside = (notes: string) => `${notes}.aside`;

/** Returns a function that renames the folder and puts something else at its path. */
function replacing(put: (notes: string) => void = () => undefined) {
  return (notes: string) => {
    renameSync(notes, aside(notes));
    put(notes);
  };
}

function putBack(notes: string): void {
  rmSync(notes, { recursive: true, force: true });
  renameSync(aside(notes), notes);
}

const REPLACED: readonly Replaced[] = [
  {
    name: "an empty folder",
    make: replacing((notes) => mkdirSync(notes)),
    codes: [2],
    repair: putBack,
  },
  {
    name: "an empty folder with an empty .mdmirror",
    make: replacing((notes) => mkdirSync(join(notes, ".mdmirror"), { recursive: true })),
    codes: [2, 4],
    repair: putBack,
  },
  {
    name: "its .mdmirror alone, in a new folder",
    make: replacing((notes) => {
      mkdirSync(notes);
      cpSync(join(aside(notes), ".mdmirror"), join(notes, ".mdmirror"), { recursive: true });
    }),
    codes: [4],
    repair: putBack,
  },
  {
    name: "all its documents gone",
    make: (notes) => {
      mkdirSync(aside(notes));
      for (const name of readdirSync(notes))
        if (name !== ".mdmirror") renameSync(join(notes, name), join(aside(notes), name));
    },
    codes: [4],
    repair: (notes) => {
      for (const name of readdirSync(aside(notes))) {
        rmSync(join(notes, name), { recursive: true, force: true });
        renameSync(join(aside(notes), name), join(notes, name));
      }
    },
  },
  {
    name: "a symlink to another folder",
    make: replacing((notes) => {
      mkdirSync(`${notes}.other`);
      writeFileSync(join(`${notes}.other`, "other.md"), newText("other"));
      symlinkSync(`${notes}.other`, notes);
    }),
    codes: [2],
    repair: putBack,
  },
  {
    name: "a symlink to itself, moved",
    make: replacing((notes) => symlinkSync(aside(notes), notes)),
    // The same folder by another path.
    codes: [0],
    repair: () => undefined,
  },
  {
    name: "a copy",
    make: replacing((notes) => cpSync(aside(notes), notes, { recursive: true, preserveTimestamps: true })),
    codes: [4],
    repair: () => undefined,
    approve: true,
  },
  {
    name: "moved to another place",
    make: replacing(),
    codes: [2],
    repair: () => undefined,
    moved: ".aside",
  },
  {
    name: "gone",
    make: replacing(),
    codes: [2],
    repair: putBack,
  },
  {
    name: "a file",
    make: replacing((notes) => writeFileSync(notes, "no folder\n")),
    codes: [2],
    repair: putBack,
  },
  {
    name: "its marker gone",
    make: (notes) => renameSync(join(notes, ".mdmirror/marker"), aside(notes)),
    codes: [4],
    repair: (notes) => renameSync(aside(notes), join(notes, ".mdmirror/marker")),
  },
  {
    name: "another mirror's marker",
    make: (notes) => {
      cpSync(join(notes, ".mdmirror/marker"), aside(notes));
      writeFileSync(join(notes, ".mdmirror/marker"), `${"0".repeat(32)}\n`);
    },
    // The folder is not in the user's list, so mdmirror sends nothing to the service.
    codes: [2],
    repair: (notes) => writeFileSync(join(notes, ".mdmirror/marker"), readFileSync(aside(notes))),
  },
];

async function roots({ rounds, seed }: Soak) {
  const ledger = openLedger();
  for (let round = 0; round < rounds; round++) {
    const replaced = REPLACED[round % REPLACED.length]!;
    const where = `round ${round} (seed ${seed}), ${replaced.name}`;
    const first = await openRig(seed * 1_000 + round);
    await fillService(first, DOCUMENTS);
    await linkAndSync(first);
    await editOnService(first, docPath(3), 1);
    const before = await recordState(first);
    replaced.make(first.notes);
    await ask(first, replaced, where, ledger);
    replaced.repair(first.notes);
    const rig = { ...first, notes: `${first.notes}${replaced.moved ?? ""}` };
    if (replaced.approve) ledger.ended((await run(rig, ["approve", rig.notes, "--yes"])).code);
    ledger.add(where, await countDamage(rig, before, { syncs: 1 }));
    await rig.end();
  }
  const counted = { ...ledger.figures, kinds: REPLACED.length, exits: ledger.exits() };
  return { fault: "roots", rounds, counted, broken: ledger.broken };
}

/**
 * Syncs twice, approves, and syncs once more. An approval must not allow deletions for a missing
 * folder.
 */
async function ask(rig: Rig, { codes, approve, name }: Replaced, where: string, ledger: ReturnType<typeof openLedger>) {
  const known = (await readRemote(rig)).size;
  const commands = [
    ["sync"],
    ["sync"],
    ...(approve || name === "all its documents gone" ? [] : [["approve", "--yes"], ["sync"]]),
  ];
  for (const [command, ...options] of commands) {
    const { code, out } = await run(rig, [command!, rig.notes, ...options]);
    ledger.ended(code);
    const wanted = command === "approve" ? [0, 2, 4] : codes;
    if (code === null || !wanted.includes(code))
      ledger.broken.push(`${where}: ${command}: exit ${code}: ${out.trim()}`);
  }
  const now = (await readRemote(rig)).size;
  if (now !== known) ledger.broken.push(`${where}: ${known} documents on the service became ${now}`);
}

/**
 * Unmounts the disk of the folder before a sync, during one, and while a daemon watches. Then
 * mounts it again.
 */
async function unmounted({ rounds, seed }: Soak) {
  const ledger = openLedger();
  const why = whyNoMounts();
  if (why !== null) return { fault: "unmounted", rounds: 0, counted: {}, broken: [], note: `not done: ${why}` };
  for (let round = 0; round < rounds; round++) {
    const rig = await openRig(seed * 1_000 + round);
    const where = `round ${round} (seed ${seed})`;
    const image = join(rig.folder, "image");
    mkdirSync(rig.notes);
    mount(image, "32m");
    bind(image, rig.notes);
    await fillService(rig, DOCUMENTS);
    await linkAndSync(rig);
    for (let n = 0; n < 20; n++) await editOnService(rig, docPath(n), 1);
    const before = await recordState(rig);
    let left = 1 + rig.dice.below(40);
    const hook = () => {
      if (--left === 0) unmountLazily(rig.notes);
    };
    rig.hooks.add(hook);
    ledger.ended((await run(rig, ["sync", rig.notes])).code);
    rig.hooks.delete(hook);
    if (left > 0) unmountLazily(rig.notes);
    const without = await run(rig, ["sync", rig.notes]);
    ledger.ended(without.code);
    if (without.code !== 2) ledger.broken.push(`${where}: without the disk: exit ${without.code}: ${without.out}`);
    const beneath = readdirSync(rig.notes, { recursive: true, encoding: "utf8" });
    if (beneath.length > 0) ledger.broken.push(`${where}: written beneath the mount: ${beneath.join(", ")}`);
    const there = (await readRemote(rig)).size;
    if (there !== DOCUMENTS) ledger.broken.push(`${where}: ${there} documents on the service`);
    bind(image, rig.notes);
    ledger.add(where, await countDamage(rig, before, { syncs: 2 }));
    unmount(rig.notes);
    unmount(image);
    await rig.end();
  }
  const counted = { ...ledger.figures, exits: ledger.exits() };
  return { fault: "unmounted", rounds, counted, broken: ledger.broken };
}

export const ROOTS: readonly Fault[] = [
  { name: "roots", rounds: 2 * REPLACED.length, quick: REPLACED.length, run: roots },
  { name: "unmounted", rounds: 10, quick: 1, run: unmounted },
];
