import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { ended, nextLine, startChild, tempFolder } from "./fixture.ts";

const me = { since: 5, what: "sync" };

test("a second taker in the same process is refused immediately, and learns who has the lock", () => {
  const folder = tempFolder();
  const first = acquireLock(folder, me);
  expect(first.kind).toBe("locked");
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
  expect(acquireLock(folder, me).kind, "a refused taker takes nothing away").toBe("busy");
  if (first.kind === "locked") first.release();
});

test("a released lock is free, and releasing twice does no harm to the next holder", () => {
  const folder = tempFolder();
  const first = acquireLock(folder, me);
  if (first.kind !== "locked") throw new Error("busy");
  first.release();
  expect(existsSync(join(folder, "lock.json"))).toBe(false);
  const second = acquireLock(folder, me);
  expect(second.kind).toBe("locked");
  first.release();
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
  if (second.kind === "locked") second.release();
});

test("I13 another process is refused, and kill -9 of the holder frees it", async () => {
  const folder = tempFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: child.pid, since: 7, what: "watch" } });
  child.kill("SIGKILL");
  await ended(child);
  const mine = acquireLock(folder, me);
  expect(mine.kind).toBe("locked");
  const other = startChild("lock", folder);
  expect(await nextLine(other.lines)).toBe("busy");
  if (mine.kind === "locked") mine.release();
});

test("a holder whose facts cannot be read is null", () => {
  const folder = tempFolder();
  const lock = acquireLock(folder, me);
  for (const facts of ["{", "null", '{"pid":"1"}']) {
    writeFileSync(join(folder, "lock.json"), facts);
    expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: null });
  }
  if (lock.kind === "locked") lock.release();
});

test("its files are for the owner alone", () => {
  const folder = tempFolder();
  const lock = acquireLock(folder, me);
  for (const file of ["lock.db", "lock.json"]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  if (lock.kind === "locked") lock.release();
});

test("a folder that is not there is an exception, not a busy lock", () => {
  expect(() => acquireLock(join(tempFolder(), "none"), me)).toThrow("ENOENT");
});

test.each(["noise", "noise ".repeat(2_000), "SQLite format 3\0".padEnd(8_192, "x")])(
  "a lock file that is no database any more is a lock again",
  async (noise) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "lock.db"), noise);
    const mine = acquireLock(folder, me);
    expect(mine.kind).toBe("locked");
    const { lines } = startChild("lock", folder);
    expect(await nextLine(lines)).toBe("busy");
    if (mine.kind === "locked") mine.release();
  },
);

test("a lock whose file is damaged stays locked", async () => {
  const folder = tempFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  writeFileSync(join(folder, "lock.db"), "noise ".repeat(2_000));
  expect(acquireLock(folder, me).kind).toBe("busy");
  child.kill("SIGKILL");
  await ended(child);
  const mine = acquireLock(folder, me);
  expect(mine.kind).toBe("locked");
  if (mine.kind === "locked") mine.release();
});
