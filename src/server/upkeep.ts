import type { Service } from "./service.ts";

/** Between two rounds: pruning, and taking again the room that a full disk cost. */
const ROUND_MS = 600_000;
/** Between two steps of a round: for requests. */
const PAUSE_MS = 20;

/**
 * What the service does from time to time, in steps of some milliseconds between requests.
 * @returns what ends it
 */
export function keepUp(
  service: Pick<Service, "pruneStep" | "holdReserve">,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(step, ms);
    // The process may end when nothing else keeps it.
    timer.unref();
  };
  const step = () => {
    try {
      if (service.pruneStep() === "more") return wait(PAUSE_MS);
      service.holdReserve();
    } catch (error) {
      onFault(error, "upkeep");
    }
    wait(ROUND_MS);
  };
  wait(PAUSE_MS);
  return () => clearTimeout(timer);
}
