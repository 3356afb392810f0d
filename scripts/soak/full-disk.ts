/**
 * A disk that becomes full during a clone, during a sync that merges, and during writes of the
 * state. Then it has free space again.
 */
import { createRig } from "../../test/simulator/rig.ts";
import {
  createOnService,
  docPath,
  editLocally,
  editOnService,
  fillService,
  initArgs,
  linkAndSync,
  openRig,
  type Rig,
  run,
} from "./fixture.ts";
import { edited, newText } from "./marked.ts";
import type { Fault, Row, Soak } from "./row.ts";
import { readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countDamage, localTexts, openLedger, recordState } from "./oracle.ts";
import { mount, resize, unmount, whyNoMounts } from "./mounts.ts";

/**
 * The full disk if nothing can be mounted: the whole engine on a RAM disk that refuses more bytes.
 * The state is in memory and cannot become full.
 */

const INJECTED_DOCUMENTS = 60;

async function injectedFullDisk(fault: string, why: string, { rounds, seed }: Soak): Promise<Row> {
  const broken: string[] = [];
  const counted = { lost: 0, differing: 0, full: 0 };
  for (let round = 0; round < rounds; round++) {
    const rig = createRig(seed * 1_000 + round);
    const { app, dice } = rig;
    const where = `round ${round} (seed ${seed})`;
    for (let n = 0; n < INJECTED_DOCUMENTS; n++) app.create(docPath(n), newText(`doc ${n}`));
    const mirror = rig.mirror();
    const marks: string[] = [];
    const mark = () => marks[marks.push(`<m${round}-${marks.length}>`) - 1]!;
    for (const merging of [false, true]) {
      if (merging) {
        for (let n = 0; n < INJECTED_DOCUMENTS; n += 2) {
          const path = docPath(n);
          mirror.write(path, edited(mirror.texts().get(path)!, n, mark()));
          app.edit(path, edited(app.text(path)!, n + 4, mark()));
        }
      }
      const used = [...mirror.texts().values()].reduce((sum, text) => sum + text.length, 0);
      mirror.disk.capacity = used + dice.below(20_000);
      const report = await mirror.sync();
      if (report?.state !== "in-sync") counted.full++;
      mirror.disk.capacity = Number.POSITIVE_INFINITY;
      for (let n = 0; n < 3; n++) await mirror.sync();
    }
    const [here, there] = [mirror.texts(), app.files()];
    const differing = [...there].filter(([path, { text }]) => here.get(path) !== text).length + here.size - there.size;
    const all = [...here.values()].join("\n");
    const lost = marks.filter((one) => !all.includes(one)).length;
    counted.lost += lost;
    counted.differing += Math.abs(differing);
    if (lost > 0 || differing !== 0) broken.push(`${where}: ${lost} lost, ${differing} differing`);
  }
  if (counted.full === 0) broken.push("the disk was never full");
  return { fault, rounds, counted, broken, note: `injected through a disk in memory: ${why}` };
}

const DOCUMENTS = 150;
/**
 * Documents of a clone: many more than are downloaded at the same time, so that a kill or a full
 * disk meets all stages.
 */
const CLONED = 600;

/** Opens a fixture whose `notes` is a folder on a separate disk. */
async function openRigOnDisk(seed: number, size: string): Promise<Rig & { readonly disk: string }> {
  const rig = await openRig(seed);
  const disk = join(rig.folder, "disk");
  mount(disk, size);
  const end = async () => {
    unmount(disk);
    await rig.end();
  };
  return { ...rig, notes: join(disk, "notes"), disk, end };
}

/** Returns the local files whose content is not a whole version that the service has or had. */
function torn(rig: Rig, known: ReadonlySet<string>): string[] {
  return [...localTexts(rig.notes)].flatMap(([path, text]) => (known.has(text) ? [] : [path]));
}

const CODES_WHEN_FULL = new Set<number | null>([0, 3, 9]);

async function fullClone(soak: Soak): Promise<Row> {
  const why = whyNoMounts();
  if (why !== null) return injectedFullDisk("full-clone", why, soak);
  const { rounds, seed } = soak;
  const ledger = openLedger();
  let met = 0;
  for (let round = 0; round < rounds; round++) {
    const rig = await openRigOnDisk(seed * 1_000 + round, "64m");
    const texts = new Set<string>();
    for (let n = 0; n < CLONED; n++) {
      const text = newText(`doc ${n}`).repeat(1 + (n % 9));
      texts.add(text);
      await createOnService(rig, docPath(n), text);
    }
    const before = await recordState(rig);
    resize(rig.disk, `${100 + rig.dice.below(9_000)}k`);
    const first = await run(rig, initArgs(rig));
    ledger.ended(first.code);
    if (first.code !== 0) met++;
    if (!CODES_WHEN_FULL.has(first.code)) ledger.broken.push(`round ${round}: exit ${first.code}: ${first.out}`);
    if (/fault of mdmirror itself/.test(first.out)) ledger.broken.push(`round ${round}: ${first.out}`);
    for (const path of torn(rig, texts)) ledger.broken.push(`round ${round}: ${path} holds half a text`);
    if (rig.writes.length > 0) ledger.broken.push(`round ${round}: ${rig.writes.length} writes to the service`);
    resize(rig.disk, "64m");
    await run(rig, initArgs(rig));
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before));
    await rig.end();
  }
  return {
    fault: "full-clone",
    rounds,
    counted: { ...ledger.figures, full: met, exits: ledger.exits() },
    broken: ledger.broken,
  };
}

/** Fills the disk up to `bytes` of free space. */
function fill(rig: { readonly disk: string }, bytes: number): void {
  const { bavail, bsize } = statfsSync(rig.disk);
  const size = Math.max(0, bavail * bsize - bytes);
  if (size > 0) writeFileSync(join(rig.disk, "filler"), Buffer.alloc(size));
}

/**
 * Edits on both sides with hardly any free space, so that effects and writes of the state fail
 * anywhere.
 */
async function fullMerge(soak: Soak): Promise<Row> {
  const why = whyNoMounts();
  if (why !== null) return injectedFullDisk("full-merge", why, soak);
  const { rounds, seed } = soak;
  const ledger = openLedger();
  const rig = await openRigOnDisk(seed, "16m");
  await fillService(rig, DOCUMENTS);
  await linkAndSync(rig);
  let met = 0;
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < 30; k++) {
      const path = docPath((round * 30 + k) % DOCUMENTS);
      const paragraph = rig.dice.below(9);
      if (k % 3 !== 0) editLocally(rig, path, paragraph);
      if (k % 3 !== 1) await editOnService(rig, path, paragraph + 4);
    }
    const before = await recordState(rig);
    fill(rig, rig.dice.below(400) * 4_096);
    for (let times = 0; times < 2; times++) {
      const ended = await run(rig, ["sync", rig.notes]);
      ledger.ended(ended.code);
      if (ended.code !== 0) met++;
      if (!CODES_WHEN_FULL.has(ended.code) || /fault of mdmirror itself/.test(ended.out))
        ledger.broken.push(`round ${round}: exit ${ended.code}: ${ended.out}`);
    }
    rmSync(join(rig.disk, "filler"), { force: true });
    ledger.add(`round ${round} (seed ${seed})`, await countDamage(rig, before, { syncs: 2 }));
    const damaged = join(rig.notes, ".mdmirror/damaged");
    if (readdirSync(join(rig.notes, ".mdmirror")).includes("damaged"))
      ledger.broken.push(`round ${round}: a full disk was taken for damage: ${readdirSync(damaged).join(", ")}`);
  }
  await rig.end();
  return {
    fault: "full-merge",
    rounds,
    counted: { ...ledger.figures, full: met, exits: ledger.exits() },
    broken: ledger.broken,
  };
}

export const FULL_DISK: readonly Fault[] = [
  { name: "full-clone", rounds: 30, quick: 1, run: fullClone },
  { name: "full-merge", rounds: 30, quick: 2, run: fullMerge },
];
