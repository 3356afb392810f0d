import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLog } from "../../src/app/log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mdmirror-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const open = (more: { debug?: boolean; onFault?: (error: Error) => void } = {}) =>
  openLog({ folder, clock, secret: "mdm_secret", debug: false, onFault: () => undefined, ...more });
const file = () => join(folder, "log/mdmirror.log");

test("writes one JSON object a line, for its owner alone, and the folder only when there is something to write", () => {
  const log = open();
  log.write("debug", "not-asked-for", {});
  expect(existsSync(join(folder, "log"))).toBe(false);
  log.write("warn", "later", { path: "a.md", tries: 2 });
  expect(readFileSync(file(), "utf8")).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","level":"warn","event":"later","path":"a.md","tries":2}\n',
  );
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test("I30 takes the key out of whatever repeats it", () => {
  open({ debug: true }).write("debug", "echo", { detail: "Bearer mdm_secret, mdm_secret" });
  expect(readFileSync(file(), "utf8")).toContain('"detail":"Bearer [key], [key]"');
});

test("begins a new file when one is full, and keeps one older", () => {
  const log = open();
  const long = "x".repeat(400);
  for (let n = 0; n < 11_000; n++) log.write("info", "fill", { n, long });
  expect(statSync(file()).size).toBeLessThan(2.2 * 1024 * 1024);
  expect(statSync(`${file()}.1`).size).toBeGreaterThan(2 * 1024 * 1024);
  expect(statSync(`${file()}.1`).size).toBeLessThan(2.2 * 1024 * 1024);
});

test("that cannot be written is told once, and stops nothing", () => {
  writeFileSync(join(folder, "log"), "a file where the folder should be");
  const faults: Error[] = [];
  const log = open({ onFault: (error) => faults.push(error) });
  log.write("warn", "one", {});
  log.write("warn", "two", {});
  expect(faults).toHaveLength(1);
});
