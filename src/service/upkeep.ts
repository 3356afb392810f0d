import type { Service } from "./service.ts";
import { isDiskFull } from "./store/store.ts";

/** The pause between two rounds, each of which prunes and fills the disk reserve again. */
const ROUND_MS = 600_000;
/** The pause between two steps of a round, in which requests are answered. */
const PAUSE_MS = 20;
/** How often it is saved when keys were used: what is newer is lost by a kill. */
const USES_MS = 60_000;

/**
 * What the service does from time to time, in steps of some milliseconds between requests.
 * @returns what stops it
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
    // It does not keep the process alive.
    timer.unref();
  };
  const step = async () => {
    try {
      const left = await service.pruneStep();
      // Meanwhile the service may have been closed, and its folder be somebody else's, or gone.
      if (isOver) return;
      if (left === "more") return wait(PAUSE_MS);
      service.holdReserve();
    } catch (error) {
      // A step that the end of the service cut off is no fault.
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
    // They stay in memory until there is room; requests tell of a full disk already.
    if (!isDiskFull(error)) onFault(error, "upkeep");
  }
}
