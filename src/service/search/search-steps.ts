import type { Service } from "../service.ts";

/**
 * Milliseconds between a write and the step that indexes the document. Concurrent writes share a
 * step.
 */
const REST_MS = 15;
/**
 * Pause after a step while requests come, as a multiple of the step's time: indexing takes a fifth
 * of the time.
 */
const SHARE = 4;
/** Milliseconds between an error (such as a full disk) and the next try. */
const AGAIN_MS = 60_000;

/**
 * Indexes written documents for search, in steps of some milliseconds between requests. A search
 * never waits for a step.
 * @returns a function that stops the indexing
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
    // A timer alone does not keep the process running.
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
