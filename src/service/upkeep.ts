import type { Service } from "./service.ts";
import { isDiskFull } from "./store/store.ts";

/** Milliseconds between two rounds, each of which prunes and fills the disk reserve again. */
const ROUND_MS = 600_000;
/** Milliseconds between two steps of a round, in which requests are answered. */
const PAUSE_MS = 20;
/** Milliseconds between two saves of key uses: a kill loses the uses since the last save. */
const USES_MS = 60_000;

/**
 * Does periodic work of the service, in steps of some milliseconds between requests.
 * @returns a function that stops the work
 */
export function keepUp(
  service: Pick<Service, "pruneStep" | "holdReserve" | "saveUses">,
  onFault: (error: unknown, requestId: string) => void = () => undefined,
): () => void {
  let timer: NodeJS.Timeout;
  let isOver = false;
  const wait = (ms: number) => {
    if (isOver) return;
    timer = setTimeout(() => void step(), ms);
    // A timer alone does not keep the process running.
    timer.unref();
  };
  const step = async () => {
    try {
      const left = await service.pruneStep();
      // The service may be closed by now, and its folder removed or used by another process.
      if (isOver) return;
      if (left === "more") return wait(PAUSE_MS);
      service.holdReserve();
    } catch (error) {
      // An error is expected if the service closed during the step.
      if (!isOver) onFault(error, "upkeep");
    }
    wait(ROUND_MS);
  };
  wait(PAUSE_MS);
  const uses = setInterval(() => void saveKeyUses(service, onFault), USES_MS);
  uses.unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(uses);
  };
}

async function saveKeyUses(
  service: Pick<Service, "saveUses">,
  onFault: (error: unknown, requestId: string) => void,
): Promise<void> {
  try {
    await service.saveUses();
  } catch (error) {
    // The uses stay in memory until the disk has space. Requests already report the full disk, so
    // no second report is needed.
    if (!isDiskFull(error)) onFault(error, "upkeep");
  }
}
