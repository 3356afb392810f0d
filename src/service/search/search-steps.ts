import type { Service } from "../service.ts";

/**
 * The pause between a write and the step that indexes it. With the step itself, a document is found
 * within 50 ms. Writes that come together share a step.
 */
const REST_MS = 15;
/**
 * While requests come, the pause after a step is so many times as long as the step was: indexing
 * takes a fifth of the time.
 */
const SHARE = 4;
/** The pause after a fault (a full disk), before the next try. */
const AGAIN_MS = 60_000;

/**
 * Indexes for search what was written, in steps of some milliseconds between requests. A search
 * never waits for it.
 * @returns what ends it
 */
export function indexInSteps(
  service: Pick<Service, "indexStep" | "served" | "onWrite">,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  let served = service.served();
  const wait = (ms: number) => {
    if (isOver || timer !== null) return;
    timer = setTimeout(() => void step(), ms);
    // The timer does not keep the process alive.
    timer.unref();
  };
  const step = async () => {
    timer = null;
    const started = performance.now();
    try {
      if ((await service.indexStep()) === "done") return;
    } catch (error) {
      onFault(error, "index");
      return wait(AGAIN_MS);
    }
    const isBusy = service.served() !== served;
    served = service.served();
    wait(isBusy ? (performance.now() - started) * SHARE : 0);
  };
  service.onWrite(() => wait(REST_MS));
  wait(REST_MS);
  return () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
  };
}
