import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, onTestFinished, it } from "vitest";
import { DAEMON_COMMAND, lockFolder } from "../../../src/mirror/folder/folder-lock.ts";
import { acquireLock } from "../../../src/mirror/state/lock.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { readStatus } from "../../../src/mirror/folder/status.ts";
import type { Intent } from "../../../src/mirror/ports/state.ts";
import { openState } from "../../../src/mirror/state/open.ts";
import { describeError } from "../../../src/mirror/folder/disk-trouble.ts";
import { openRig } from "../../cli/rig.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A clock that advances while a caller sleeps. At a given time it unlocks the folder. */
class UnlockingClock implements Clock {
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

/**
 * Starts a daemon while a command has locked the folder. Returns the result, and the time that it
 * took in ms.
 */
async function startDuring(what: string, freeAfterMs: number) {
  const root = temporaryFolder();
  const own = join(root, ".mdmirror");
  mkdirSync(own, { mode: 0o700 });
  const lock = acquireLock(own, { since: 0, what });
  if (lock.kind !== "locked") throw new Error("not locked");
  const clock = new UnlockingClock(freeAfterMs, lock.release);
  const end = await lockFolder(root, { what: DAEMON_COMMAND, clock });
  if (end.kind === "ok") end.value.free();
  lock.release();
  return { end, now: clock.now() };
}

describe("a daemon that starts", () => {
  test("waits for a command that has the folder, as a sync from cron", async () => {
    expect(await startDuring("sync", 3_000)).toMatchObject({ end: { value: { isLent: false } }, now: 3_000 });
  });

  test("names the command that keeps it", async () => {
    const { end, now } = await startDuring("sync", 60_000);
    expect(end).toMatchObject({
      trouble: { kind: "locked", what: expect.stringContaining("mdmirror sync (process ") },
    });
    expect(now).toBe(10_000);
  });

  test("does not wait for another daemon", async () => {
    expect(await startDuring(DAEMON_COMMAND, 60_000)).toMatchObject({ end: { trouble: { kind: "locked" } }, now: 0 });
  });
});

test("what a daemon is applying is not interrupted", async () => {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  await rig.init();
  const opened = openState({ folder: rig.path(".mdmirror"), clock: rig.clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const kinds: readonly Intent["kind"][] = ["put", "set-aside", "create"];
  for (const kind of kinds) opened.state.openIntent(1, { kind } as Intent);
  opened.state.close();
  const pending = async (isBusy: boolean) => {
    const status = await readStatus(rig.root, isBusy);
    return status.kind === "ok" ? status.value.pending : status.trouble;
  };
  expect([await pending(false), await pending(true)]).toEqual([1, 0]);
});

const error = (code: string) => Object.assign(new Error("words of the library"), { code });

describe("errors of the ground under the state file", () => {
  it.each([
    ["SQLITE_FULL", "the disk is full"],
    ["ENOSPC", "the disk is full"],
    ["EDQUOT", "the disk is full"],
    ["SQLITE_IOERR_SHMSIZE", "the disk is full"],
    ["SQLITE_CORRUPT_INDEX", "the state file is damaged"],
    ["SQLITE_IOERR_WRITE", "the disk of the state file failed"],
    ["EROFS", "the disk of the state file failed"],
    ["EMFILE", "this process may not open more files"],
    ["SQLITE_BUSY", "another program uses the state file"],
    ["SQLITE_READONLY_DBMOVED", "the state file was moved or removed while it was in use"],
    ["SQLITE_READONLY_DIRECTORY", "this user may not read or write .mdmirror/"],
  ])("%s: %s", (code, what) => {
    expect(describeError(error(code))).toMatchObject({ what, code });
  });

  it.each([
    ["EACCES", "/home/other/notes/.mdmirror", "this user may not read or write /home/other/notes/.mdmirror"],
    ["EPERM", "/proc/self/fd/21/config.json", "this user may not read or write config.json"],
  ])("%s at %s: %s", (code, path, what) => {
    expect(describeError(Object.assign(error(code), { path }))).toMatchObject({ what, code });
  });

  it("takes no fault of our own for one of the disk", () => {
    expect(describeError(error("SQLITE_ERROR"))).toBeNull();
    expect(describeError(error("EPERM"))).toBeNull();
    expect(describeError(new Error("a bug"))).toBeNull();
  });
});
