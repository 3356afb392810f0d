import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLog } from "../../../src/mirror/folder/log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mdmirror-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const open = (more: { debug?: boolean; maxBytes?: number; onFault?: (error: Error) => void } = {}) =>
  openLog({ folder, clock, secret: "mdm_secret", debug: false, onFault: () => undefined, ...more });
const file = () => join(folder, "log/mdmirror.log");
const lines = (): unknown[] =>
  readFileSync(file(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("writes one JSON object a line, for its owner alone, and the folder only when there is something to write", () => {
  const log = open();
  log.write("debug", "not-asked-for", {});
  expect(existsSync(join(folder, "log"))).toBe(false);
  log.write("warn", "later", { path: "a.md", attempt: 2 });
  expect(lines()).toEqual([
    { at: "1970-01-01T00:00:00.000Z", level: "warn", event: "later", path: "a.md", attempt: 2 },
  ]);
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test("I30 keeps no text, and takes the key out of a path that holds it", () => {
  const log = open({ debug: true });
  log.write("debug", "echo", {
    detail: "ECONNRESET while sending: # My diary",
    // @ts-expect-error no member of a log line
    body: "# My diary",
  });
  log.write("debug", "place", { path: "notes/mdm_secret.md" });
  expect(readFileSync(file(), "utf8")).not.toMatch(/diary|mdm_secret/);
  expect(lines()).toMatchObject([{ detail: "ECONNRESET" }, { path: "notes/[key].md" }]);
});

test("begins a new file when one is full, and keeps some older ones", () => {
  const log = open({ maxBytes: 1_000 });
  for (let n = 0; n < 200; n++) log.write("info", "fill", { count: n });
  const files = readdirSync(join(folder, "log"));
  expect(files.length).toBeGreaterThan(2);
  expect(files.length).toBeLessThan(7);
  for (const name of files) expect(statSync(join(folder, "log", name)).size).toBeLessThanOrEqual(1_000);
  expect(lines().at(-1)).toMatchObject({ count: 199 });
});

test("that cannot be written is told once, and stops nothing", () => {
  writeFileSync(join(folder, "log"), "a file where the folder should be");
  const faults: Error[] = [];
  const log = open({ onFault: (error) => faults.push(error) });
  log.write("warn", "one", {});
  log.write("warn", "two", {});
  expect(faults).toHaveLength(1);
});

test("I26 where the mirror's folder is gone (its disk was taken away), nothing is made in its place", () => {
  const faults: string[] = [];
  const log = open({ onFault: (error) => faults.push((error as NodeJS.ErrnoException).code ?? "") });
  rmSync(folder, { recursive: true });
  log.write("warn", "later", { path: "a.md" });
  expect([existsSync(folder), faults]).toEqual([false, ["ENOENT"]]);
});
