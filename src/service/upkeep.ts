import type { Service } from "./service.ts";
import { isDiskFull } from "./store/store.ts";

/** Milliseconds between two rounds of pruning, and between two attempts to reserve disk space. */
const ROUND_INTERVAL_MS = 600_000;
/** Milliseconds between two steps of pruning. During this pause, requests are answered. */
const STEP_PAUSE_MS = 20;
/**
 * Milliseconds between two saves of the last uses of keys. If the service is killed, uses since the
 * last save are lost.
 */
const SAVE_USES_EVERY_MS = 60_000;
/** Milliseconds between a write and its indexing. All writes in this time are indexed together. */
const INDEX_DELAY_MS = 15;
/**
 * Length of the pause after a step of indexing, divided by the length of the step. With 4, indexing
 * takes a fifth of the time while requests arrive.
 */
const PAUSE_FACTOR = 4;
/** Milliseconds between a failed step of indexing, such as on a full disk, and the next one. */
const RETRY_MS = 60_000;

type UpkeepService = Pick<Service, "indexStep" | "served" | "onWrite" | "pruneStep" | "reserveSpace" | "saveUses">;

/**
 * Starts the periodic work of the service. The work is done in steps of a few milliseconds between
 * requests. A request waits only for the step that is running.
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
  let lastServedCount = service.served();
  const indexTask = startTask("index", INDEX_DELAY_MS, RETRY_MS, async () => {
    const startedAt = performance.now();
    if ((await service.indexStep()) === "done") return null;
    const isBusy = service.served() !== lastServedCount;
    lastServedCount = service.served();
    return isBusy ? (performance.now() - startedAt) * PAUSE_FACTOR : 0;
  });
  service.onWrite(() => indexTask.wake(INDEX_DELAY_MS));
  const tasks = [
    indexTask,
    startTask("upkeep", STEP_PAUSE_MS, ROUND_INTERVAL_MS, async () =>
      (await service.pruneStep()) === "more" ? STEP_PAUSE_MS : ROUND_INTERVAL_MS,
    ),
    repeatEvery(ROUND_INTERVAL_MS, () => service.reserveSpace()),
    repeatEvery(SAVE_USES_EVERY_MS, () =>
      // On a full disk, the unsaved times of uses stay in memory until the next attempt. The error
      // is ignored, because requests already report a full disk.
      service.saveUses().catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
      }),
    ),
  ];
  return () => {
    for (const { stop } of tasks) stop();
  };
}

/**
 * Does one step of periodic work. Returns the milliseconds until the next step; null if no further
 * step is needed.
 */
type UpkeepStep = () => Promise<number | null>;

/**
 * Runs a step repeatedly.
 * @param firstMs milliseconds until the first step
 * @param againMs milliseconds between an error and the next step
 * @returns `wake`, which schedules the next step unless one is already scheduled; `stop`, which
 * ends the repetition
 */
function repeatStep(step: UpkeepStep, firstMs: number, againMs: number, onFault: (error: unknown) => void) {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const runStep = async () => {
    timer = null;
    let nextMs: number | null = againMs;
    try {
      nextMs = await step();
    } catch (error) {
      // An error is not reported if the service was closed during the step.
      if (!isStopped) onFault(error);
    }
    if (nextMs !== null) wake(nextMs);
  };
  const wake = (ms: number) => {
    // `unref` lets the process end while a timer for the next step waits.
    if (!isStopped) timer ??= setTimeout(() => void runStep(), ms).unref();
  };
  const stop = () => {
    isStopped = true;
    if (timer !== null) clearTimeout(timer);
  };
  wake(firstMs);
  return { wake, stop };
}
