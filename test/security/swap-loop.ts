import { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

/** Swaps a folder for a symlink and back until `flags[0]` is set; counts in `flags[1]`. */

const { flags, root, twin, folder } = workerData as {
  readonly flags: Int32Array;
  readonly root: string;
  readonly twin: string;
  readonly folder: string;
};
const [here, there, aside] = [join(root, folder), join(twin, folder), join(root, "..", "aside")];

parentPort!.postMessage("ready");
for (let swaps = 1; Atomics.load(flags, 0) === 0; swaps++) {
  renameSync(here, aside);
  symlinkSync(there, here);
  pause(50_000 * (swaps % 4));
  unlinkSync(here);
  renameSync(aside, here);
  Atomics.store(flags, 1, swaps);
  pause(100_000 * (swaps % 5));
}

function pause(nanoseconds: number): void {
  const end = process.hrtime.bigint() + BigInt(nanoseconds);
  while (process.hrtime.bigint() < end);
}
