import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DAEMON, lockFolder } from "../../../src/mirror/folder/folder-lock.ts";
import { acquireLock } from "../../../src/mirror/state/lock.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { tempFolder } from "../../state/fixture.ts";

/** Time passes while a caller waits; at a given time the folder is unlocked. */
class LettingGo implements Clock {
  readonly #at: number;
  readonly #letGo: () => void;
  #now = 0;

  constructor(at: number, letGo: () => void) {
    this.#at = at;
    this.#letGo = letGo;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    if (this.#now >= this.#at) this.#letGo();
  }
}

/** Somebody has the folder as a daemon starts. @returns how that ends, and after how long */
async function startBeside(what: string, freeAfterMs: number) {
  const root = tempFolder();
  const own = join(root, ".mdmirror");
  mkdirSync(own, { mode: 0o700 });
  const lock = acquireLock(own, { since: 0, what });
  if (lock.kind !== "locked") throw new Error("not locked");
  const clock = new LettingGo(freeAfterMs, lock.release);
  const end = await lockFolder(root, { what: DAEMON, clock });
  if (end.kind === "ok") end.value.free();
  lock.release();
  return { end, now: clock.now() };
}

describe("a daemon that starts", () => {
  test("waits for a command that has the folder, as a sync from cron", async () => {
    expect(await startBeside("sync", 3_000)).toMatchObject({ end: { value: { isLent: false } }, now: 3_000 });
  });

  test("names the command that keeps it", async () => {
    const { end, now } = await startBeside("sync", 60_000);
    expect(end).toMatchObject({
      trouble: { kind: "locked", what: expect.stringContaining("mdmirror sync (process ") },
    });
    expect(now).toBe(10_000);
  });

  test("does not wait for another daemon", async () => {
    expect(await startBeside(DAEMON, 60_000)).toMatchObject({ end: { trouble: { kind: "locked" } }, now: 0 });
  });
});
