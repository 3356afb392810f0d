import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import { formatAge } from "../../common/quantities.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { borrowFolder, NO_DAEMON } from "../daemon/control/ask.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type AcquiredLock, acquireLock, type LockHolder } from "../state/lock.ts";

/** Name of the daemon's command in the lock. By this name, other processes recognise a daemon. */
export const DAEMON_COMMAND = "watch";

/**
 * LIMIT: milliseconds that a starting daemon waits for the lock, so that the user soon learns of a
 * failed start.
 */
const MAX_WAIT_MS = 10_000;
const CHECK_EVERY_MS = 200;

type LockedFolder = {
  readonly isLent: boolean;
  /** Frees the lock. If a daemon lent the folder, also gives the folder back to the daemon. */
  readonly free: () => void;
};

/**
 * Takes the folder's lock. If a daemon has the lock, borrows the folder from the daemon until the
 * lock is freed.
 * @param what name of the command, which other processes show when they find the folder locked
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
    const borrowResult = await borrowFolder(root, what);
    if (borrowResult === NO_DAEMON) return makeBusyTrouble(root, lock.holder, clock);
    if (borrowResult.kind === "trouble") return borrowResult;
    giveBack = borrowResult.value;
    lock = acquire();
  }
  if (lock.kind === "busy") {
    giveBack?.();
    return makeBusyTrouble(root, lock.holder, clock);
  }
  const { release } = lock;
  const freeFolder = () => {
    release();
    giveBack?.();
  };
  return ok({ isLent: giveBack !== null, free: freeFolder });
}

/** Waits for the end of a command such as `sync` that has the lock. Does not wait for a daemon. */
async function waitForCommand(acquire: () => AcquiredLock, first: AcquiredLock, clock: Clock): Promise<AcquiredLock> {
  const deadline = clock.monotonic() + MAX_WAIT_MS;
  let currentLock = first;
  while (currentLock.kind === "busy" && currentLock.holder?.what !== DAEMON_COMMAND && clock.monotonic() < deadline) {
    await clock.sleep(CHECK_EVERY_MS);
    currentLock = acquire();
  }
  return currentLock;
}

function makeBusyTrouble(root: string, holder: LockHolder | null, clock: Clock): Result<never> {
  const holderText =
    holder === null
      ? "another process"
      : `mdmirror ${holder.what} (process ${holder.pid}, for ${formatAge(clock.now() - holder.since)})`;
  return trouble(
    "locked",
    `${root} is in use by ${holderText}`,
    "wait until it ends; a crashed process frees it by itself",
  );
}
