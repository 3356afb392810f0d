import type { Worker, WorkerOptions } from "node:worker_threads";

/** @param program the file that the thread runs */
export function startThread(
  program: URL,
  options: Pick<WorkerOptions, "name" | "resourceLimits" | "workerData"> = {},
): Worker {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // The key may be in the environment (I30), and what Node was told in its options is not for this
  // thread.
  return new Worker(program, { ...options, env: compiledHere(), execArgv: [] });
}

/**
 * Where the process keeps compiled sources, for its threads: else each strips the types of its own
 * modules from a checkout, for which Node loads 30 MB.
 */
function compiledHere(): Record<string, string> {
  const kept = process.getBuiltinModule("node:module").getCompileCacheDir();
  if (kept === undefined) return {};
  // Each version of Node has a folder of its own in the one that it is told.
  return { NODE_COMPILE_CACHE: process.getBuiltinModule("node:path").dirname(kept) };
}
