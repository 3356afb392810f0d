import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { borrowFolder, NO_DAEMON } from "../daemon/control/ask.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type AcquiredLock, acquireLock } from "../state/lock.ts";
import { busyTrouble } from "./folder-trouble.ts";

/** Name of the command that keeps the folder in sync, and lends the folder to other commands. */
export const DAEMON_COMMAND = "watch";

/** LIMIT: milliseconds that a starting daemon waits for another command. */
const MAX_WAIT_MS = 10_000;
const CHECK_EVERY_MS = 200;

type LockedFolder = {
  readonly isLent: boolean;
  /** Frees the lock, and returns the folder to the daemon that lends it. */
  readonly free: () => void;
};

/**
 * Takes the lock of a linked folder. If a daemon has the lock, the daemon ends its cycle and lends
 * the folder until the lock is free again.
 * @param taker.what name of the command, for other processes that find the folder locked
 */
export async function lockFolder(
  root: string,
  { what, clock }: { readonly what: string; readonly clock: Clock },
): Promise<Result<LockedFolder>> {
  const acquire = () => acquireLock(join(root, MIRROR_FOLDER), { since: clock.now(), what });
  let lock = acquire();
  let giveBack: (() => void) | null = null;
  if (lock.kind === "busy" && what === DAEMON_COMMAND) lock = await waitForCommand(acquire, lock, clock);
  else if (lock.kind === "busy") {
    const borrowed = await borrowFolder(root, what);
    if (borrowed === NO_DAEMON) return busyTrouble(root, lock.holder, clock);
    if (borrowed.kind === "trouble") return borrowed;
    giveBack = borrowed.value.giveBack;
    lock = acquire();
  }
  if (lock.kind === "busy") {
    giveBack?.();
    return busyTrouble(root, lock.holder, clock);
  }
  const { release } = lock;
  const free = () => {
    release();
    giveBack?.();
  };
  return ok({ isLent: giveBack !== null, free });
}

/**
 * Waits for another process with the lock. A command such as a `sync` from cron ends soon. Another
 * daemon does not end, so the function does not wait for it.
 */
async function waitForCommand(acquire: () => AcquiredLock, first: AcquiredLock, clock: Clock): Promise<AcquiredLock> {
  const until = clock.monotonic() + MAX_WAIT_MS;
  let found = first;
  while (found.kind === "busy" && found.holder?.what !== DAEMON_COMMAND && clock.monotonic() < until) {
    await clock.sleep(CHECK_EVERY_MS);
    found = acquire();
  }
  return found;
}
