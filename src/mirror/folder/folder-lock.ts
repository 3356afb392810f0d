import type { Clock } from "../../common/clock.ts";
import { type AcquiredLock, acquireLock } from "../state/lock.ts";
import { busyTrouble } from "./folder-trouble.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { borrowFolder, NO_DAEMON } from "../daemon/control/ask.ts";

/** Name of the command that keeps the folder in sync, and lends the folder to other commands. */
export const DAEMON = "watch";

type Taker = {
  /** Name of the command, for other processes that find the folder locked. */
  readonly what: string;
  readonly clock: Clock;
};

/** The lock of a linked folder, which can be released and taken again. */
export class FolderLock {
  readonly #folder: string;
  readonly #taker: Taker;
  #held: Extract<AcquiredLock, { kind: "locked" }> | null = null;

  /** @param folder absolute path of `.mdmirror` */
  constructor(folder: string, taker: Taker) {
    this.#folder = folder;
    this.#taker = taker;
  }

  acquire(): AcquiredLock {
    if (this.#held !== null) return this.#held;
    const { clock, what } = this.#taker;
    const lock = acquireLock(this.#folder, { since: clock.now(), what });
    if (lock.kind === "locked") this.#held = lock;
    return lock;
  }

  free(): void {
    this.#held?.release();
    this.#held = null;
  }
}

/**
 * Takes the lock. If a daemon has it, the daemon ends its cycle and lends the folder until the
 * folder is returned.
 * @returns a function that returns the folder; null if no daemon had the lock
 */
export async function borrowLock(
  root: string,
  lock: FolderLock,
  { what, clock }: Taker,
): Promise<Result<(() => void) | null>> {
  const first = lock.acquire();
  if (first.kind === "locked") return ok(null);
  if (what === DAEMON) return awaitCommand(root, lock, first, clock);
  const borrowed = await borrowFolder(root, what);
  if (borrowed === NO_DAEMON) return busyTrouble(root, first.holder, clock);
  if (borrowed.kind === "trouble") return borrowed;
  const second = lock.acquire();
  if (second.kind === "locked") return ok(borrowed.value.giveBack);
  borrowed.value.giveBack();
  return busyTrouble(root, second.holder, clock);
}

/** LIMIT: milliseconds that a starting daemon waits for a command. */
const COMMAND_MS = 10_000;
const LOOK_MS = 200;

/**
 * Waits for another command. A command that has the folder ends soon, such as a `sync` from cron;
 * another daemon does not, so waiting would not help.
 */
async function awaitCommand(
  root: string,
  lock: FolderLock,
  first: Extract<AcquiredLock, { kind: "busy" }>,
  clock: Clock,
): Promise<Result<null>> {
  const until = clock.monotonic() + COMMAND_MS;
  for (let found: AcquiredLock = first; found.kind === "busy"; found = lock.acquire()) {
    if (found.holder?.what === DAEMON || clock.monotonic() >= until) return busyTrouble(root, found.holder, clock);
    await clock.sleep(LOOK_MS);
  }
  return ok(null);
}
