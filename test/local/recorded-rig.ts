import type { Records } from "../../src/local/awaited-record.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { recordTree } from "../../src/local/record.ts";
import { Recorded } from "../../src/local/recorded.ts";
import { RootGuard } from "../../src/local/root-guard.ts";
import { diskTime } from "../../src/local/walk.ts";
import type { LocalTree } from "../../src/model/tree.ts";
import type { Disk } from "../../src/ports/disk.ts";
import type { Fs } from "../../src/ports/fs.ts";
import { rollDice } from "../simulator/dice.ts";
import type { RamCall, RamDisk } from "../simulator/ram-disk.ts";
import type { ramMirror } from "./benches.ts";

/** Trees that were read before a walk. */

export const FOLDERS = 4;
export const EACH = 3;

/** Reads the tree as the thread does, now. */
export function record(fs: Fs, root: string, gitignore = false): Recorded {
  const guard = new RootGuard(fs, root, rollDice(5));
  const recorded = new Recorded(diskTime(guard));
  for (const portion of recordTree(guard, { ignore: [], gitignore })) recorded.add(portion);
  return recorded;
}

/** What was recorded, for who waits for it. */
export class Ready implements Records {
  readonly #recorded: Promise<Recorded>;

  constructor(recorded: Recorded | Promise<Recorded>) {
    this.#recorded = Promise.resolve(recorded);
  }

  take(): Promise<Recorded> {
    return this.#recorded;
  }
}

/** A disk whose next walk has what was read until now. */
export async function diskAfter(fs: Fs, root: string, recorded: Recorded): Promise<Disk> {
  const disk = new LocalDisk(fs, root, { random: rollDice(6), records: new Ready(recorded) });
  await disk.awaitRecorded();
  return disk;
}

/** All that a walk says, but for how young stamps are: that walk began earlier. */
export function shown({ files, folders, others, unseen }: LocalTree): unknown[] {
  return [
    [...files].map(([path, { digest, stamp, textFault, empty }]) => [path, digest, stamp, textFault, empty]),
    [...folders],
    [...others],
    [...unseen],
  ];
}

/** Folders `f0` … of some files each, all at rest. */
export function grown<Mirror extends ReturnType<typeof ramMirror>>(mirror: Mirror): Mirror {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mirror.ram.user.makeFolder(mirror.at(`f${folder}`));
    for (let n = 0; n < EACH; n++) mirror.ram.user.write(mirror.at(`f${folder}/${n}.md`), `text ${n} of ${folder}`);
  }
  mirror.ram.advance(10_000);
  return mirror;
}

export function countCalls(ram: RamDisk): Partial<Record<RamCall, number>> {
  const calls: Partial<Record<RamCall, number>> = {};
  ram.beforeCall = (call) => {
    calls[call] = (calls[call] ?? 0) + 1;
  };
  return calls;
}
