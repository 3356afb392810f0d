import type { Service } from "./service.ts";
import { isDiskFull } from "./store/store.ts";

/** Milliseconds between two rounds, each of which prunes and fills the disk reserve again. */
const ROUND_MS = 600_000;
/** Milliseconds between two steps of a round, in which requests are answered. */
const PAUSE_MS = 20;
/** Milliseconds between saves of key uses: later uses are lost by a kill. */
const USES_MS = 60_000;

/**
 * Does periodic work of the service, in steps of some milliseconds between requests.
 * @returns stops it
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
    // Lets the process end while the timer is set.
    timer.unref();
  };
  const step = async () => {
    try {
      const left = await service.pruneStep();
      // The service may have been closed meanwhile, and its folder removed or used by another
      // process.
      if (isOver) return;
      if (left === "more") return wait(PAUSE_MS);
      service.holdReserve();
    } catch (error) {
      // A step that was interrupted by the end of the service is not a fault.
      if (!isOver) onFault(error, "upkeep");
    }
    wait(ROUND_MS);
  };
  wait(PAUSE_MS);
  const uses = setInterval(() => void saveUses(service, onFault), USES_MS);
  uses.unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(uses);
  };
}

async function saveUses(
  service: Pick<Service, "saveUses">,
  onFault: (error: unknown, requestId: string) => void,
): Promise<void> {
  try {
    await service.saveUses();
  } catch (error) {
    // The uses stay in memory until the disk has space; requests already report a full disk.
    if (!isDiskFull(error)) onFault(error, "upkeep");
  }
}
