import type { Service } from "./service.ts";

/** The pause between two rounds, each of which prunes and fills the disk reserve again. */
const ROUND_MS = 600_000;
/** The pause between two steps of a round, in which requests are answered. */
const PAUSE_MS = 20;

/**
 * What the service does from time to time, in steps of some milliseconds between requests.
 * @returns what stops it
 */
export function keepUp(
  service: Pick<Service, "pruneStep" | "holdReserve">,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(step, ms);
    // It does not keep the process alive.
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
