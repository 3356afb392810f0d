import { parentPort, workerData } from "node:worker_threads";
import { createNodeFs } from "../../local/node-fs.ts";
import { recordTree, type RecordOptions } from "../../local/record.ts";
import type { Portion } from "../../local/recorded.ts";
import { RootGuard } from "../../local/root-guard.ts";
import { checkPagesBeside, type PageVerdict } from "../../state/page-check.ts";

/**
 * The thread of `record-aside.ts`: checks the pages of the state, then reads the names and stats of
 * a whole tree.
 */

/**
 * `root`: absolute path of the mirrored folder. `checks`: path of the database whose pages are
 * checked; null: none are.
 */
export type RecordTask = RecordOptions & { readonly root: string; readonly checks: string | null };

export type Told =
  | { readonly kind: "pages"; readonly verdict: PageVerdict }
  | { readonly kind: "folders"; readonly portion: Portion }
  /** That was all. */
  | { readonly kind: "end" };

const { root, checks, ...options } = workerData as RecordTask;
const tell = (told: Told, ...memory: ArrayBuffer[]): void => parentPort?.postMessage(told, memory);

// ORDER: whoever opens the state waits for its pages, and for the folders much later.
if (checks !== null) tell({ kind: "pages", verdict: checkPagesBeside(checks) });
// It makes no file, so it needs no names.
const guard = new RootGuard(createNodeFs(), root, { hex: () => "" });
guard.identify();
for (const portion of recordTree(guard, options)) tell({ kind: "folders", portion }, portion.stats.buffer);
tell({ kind: "end" });
