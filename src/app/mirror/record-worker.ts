import { parentPort, workerData } from "node:worker_threads";
import { createNodeFs } from "../../local/node-fs.ts";
import { recordTree, type RecordOptions } from "../../local/record.ts";
import type { Portion } from "../../local/recorded.ts";
import { RootGuard } from "../../local/root-guard.ts";

/** The thread of `record-aside.ts`: reads the names and stats of a whole tree. */

/** `root`: absolute path of the mirrored folder. */
export type RecordTask = RecordOptions & { readonly root: string };

/** null: that was all. */
export type Told = Portion | null;

const { root, ...options } = workerData as RecordTask;
const tell = (told: Told): void => parentPort?.postMessage(told, told === null ? [] : [told.stats.buffer]);

// It makes no file, so it needs no names.
const guard = new RootGuard(createNodeFs(), root, { hex: () => "" });
guard.identify();
recordTree(guard, options, tell);
tell(null);
