import type { Service } from "./service.ts";

/** So long without a request counts as idle. A clone or a push pauses for less, and is not slowed down. */
const IDLE_MS = 1_000;
/** Between two portions: time for a request to come in. */
const PAUSE_MS = 5;
/** About 30 ms of work: as long as a request may have to wait. */
const PORTION = 250;

/**
 * Indexes for search what was written, while nobody asks for anything, so that the first search after an import need not.
 * @returns what ends it
 */
export function indexWhenIdle(
  service: Pick<Service, "indexSome" | "served">,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  let before = -1;
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(look, ms);
    // The process may end when nothing else keeps it.
    timer.unref();
  };
  const look = () => {
    const now = service.served();
    if (now !== before) {
      before = now;
      return wait(IDLE_MS);
    }
    try {
      wait(service.indexSome(PORTION) === "more" ? PAUSE_MS : IDLE_MS);
    } catch (error) {
      // Not tried again: the next search does the work, and its request is told.
      onFault(error, "index");
    }
  };
  wait(IDLE_MS);
  return () => clearTimeout(timer);
}
