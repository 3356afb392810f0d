import type { LocalTree } from "../../src/mirror/model/tree.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { type Bench, createNodeBench, createRamBench } from "../simulator/fs-bench.ts";
import { rollDice } from "../simulator/dice.ts";
import { closeWithTest } from "../simulator/open-databases.ts";
import { RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";

export type MirrorBench = Bench & { readonly disk: Disk; at(below: string): string };

/** Creates a linked folder that is empty but for `.mdmirror/`, for the time of the test. */
export function mirrorOn(bench: Bench, options: Partial<ConstructorParameters<typeof LocalDisk>[2]> = {}): MirrorBench {
  makeMirrorFolder(bench.fs, bench.root, "marker-1");
  closeWithTest(() => bench.close());
  const disk = new LocalDisk(bench.fs, bench.root, { random: rollDice(7), ...options });
  return { ...bench, disk, at: (below) => (below === "" ? bench.root : `${bench.root}/${below}`) };
}

export const BENCHES: Readonly<Record<string, () => Bench>> = {
  "a real disk": () => createNodeBench(),
  "the RAM disk": () => createRamBench(),
  "the RAM disk without hard links": () => createRamBench({ hardLinks: false }),
};

export const ROOT = "/home/notes";

/** Creates a linked folder in memory, with access to the RAM disk's special functions. */
export function ramMirror(options?: RamDiskOptions): { ram: RamDisk; disk: Disk; at(below: string): string } {
  const ram = new RamDisk(options);
  ram.user.makeFolder(ROOT);
  makeMirrorFolder(ram, ROOT, "marker-1");
  return { ram, disk: new LocalDisk(ram, ROOT, { random: rollDice(7) }), at: (below) => `${ROOT}/${below}` };
}

/** Opens the disk as a new process would. */
export function reopened(ram: RamDisk, seed = 8): Disk {
  return new LocalDisk(ram, ROOT, { random: rollDice(seed) });
}

/** Scans the folder and reads each file, but drops the contents. */
export function walkAll(disk: Disk): LocalTree {
  return disk.walk(
    () => null,
    () => undefined,
  );
}

/** Thrown instead of killing the process. It has no errno, so that no code handles it. */
class Killed extends Error {}

/** Runs `work` until its disk call number `moment`. Returns false if `work` ended before. */
export function killAt(ram: RamDisk, moment: number, work: () => void): boolean {
  let calls = 0;
  ram.beforeCall = () => {
    if (calls++ >= moment) throw new Killed();
  };
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  } finally {
    ram.beforeCall = null;
  }
}
