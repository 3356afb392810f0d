import type { Service } from "./service.ts";
import { isDiskFull } from "./store/store.ts";

/** Milliseconds between two rounds of pruning, or two attempts to fill the disk reserve. */
const ROUND_INTERVAL_MS = 600_000;
/** Milliseconds between two steps of a round, in which requests are answered. */
const STEP_PAUSE_MS = 20;
/** Milliseconds between two saves of the last uses of keys. A kill loses unsaved uses. */
const SAVE_USES_EVERY_MS = 60_000;
/** Milliseconds between a write and its indexing, so that writes in this time share one step. */
const INDEX_DELAY_MS = 15;
/**
 * Pause after a step of indexing, as a multiple of the step's own time. While requests come,
 * indexing therefore takes a fifth of the time.
 */
const PAUSE_FACTOR = 4;
/** Milliseconds between an error of indexing (such as a full disk) and the next try. */
const RETRY_MS = 60_000;

type UpkeepService = Pick<Service, "indexStep" | "served" | "onWrite" | "pruneStep" | "holdReserve" | "saveUses">;

/**
 * Does periodic work of the service, in steps of some milliseconds between requests. A request
 * never waits for a step that has not begun.
 * @returns a function that stops the work
 */
export function startUpkeep(
  service: UpkeepService,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  const startTask = (name: string, firstMs: number, againMs: number, step: UpkeepStep) =>
    repeatStep(step, firstMs, againMs, (error) => onFault(error, name));
  const repeatEvery = (ms: number, work: () => void | Promise<void>) =>
    startTask("upkeep", ms, ms, async () => {
      await work();
      return ms;
    });
  let servedBefore = service.served();
  const indexTask = startTask("index", INDEX_DELAY_MS, RETRY_MS, async () => {
    const startedAt = performance.now();
    if ((await service.indexStep()) === "done") return null;
    const isBusy = service.served() !== servedBefore;
    servedBefore = service.served();
    return isBusy ? (performance.now() - startedAt) * PAUSE_FACTOR : 0;
  });
  service.onWrite(() => indexTask.wake(INDEX_DELAY_MS));
  const tasks = [
    indexTask,
    startTask("upkeep", STEP_PAUSE_MS, ROUND_INTERVAL_MS, async () =>
      (await service.pruneStep()) === "more" ? STEP_PAUSE_MS : ROUND_INTERVAL_MS,
    ),
    repeatEvery(ROUND_INTERVAL_MS, () => service.holdReserve()),
    repeatEvery(SAVE_USES_EVERY_MS, () =>
      // On a full disk, the uses stay in memory. Requests already report the full disk.
      service.saveUses().catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
      }),
    ),
  ];
  return () => {
    for (const { stop } of tasks) stop();
  };
}

/** Does a part of periodic work. Returns milliseconds until the next part; null: no next part. */
type UpkeepStep = () => Promise<number | null>;

/**
 * Runs a step again and again. `wake` plans the next step, unless a step is planned already.
 * @param firstMs milliseconds until the first step
 * @param againMs milliseconds between an error and the next step
 */
function repeatStep(step: UpkeepStep, firstMs: number, againMs: number, onFault: (error: unknown) => void) {
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const runStep = async () => {
    timer = null;
    let nextMs: number | null = againMs;
    try {
      nextMs = await step();
    } catch (error) {
      // An error is expected if the service closed during the step.
      if (!isOver) onFault(error);
    }
    if (nextMs !== null) wake(nextMs);
  };
  const wake = (ms: number) => {
    // The timer is unreferenced, so that it alone does not keep the process running.
    if (!isOver) timer ??= setTimeout(() => void runStep(), ms).unref();
  };
  const stop = () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
  };
  wake(firstMs);
  return { wake, stop };
}
