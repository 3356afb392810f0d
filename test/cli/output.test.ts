import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ENTRY } from "../program.ts";

/** Standard output of a real process: a file, a pipe, one that is full, one whose reader left. */

const OUTPUT = new URL("../../src/cli/output.ts", import.meta.url).href;
const LINES = 4_000;
/** 400 kB, more than a pipe holds. */
const SCRIPT = `
import { Output } from "${OUTPUT}";
const output = new Output();
for (let n = 0; n < ${LINES}; n++) output.write(String(n).padStart(99, "–").slice(-99) + "\\n");
console.error(output.isTTY, output.columns);
`;
/** The same, on a pipe that takes half of the third write, and then nothing for now. */
const AGAIN = SCRIPT.replace("new Output()", "new Output(write)").replace(
  "\nconst output",
  `
import { writeSync } from "node:fs";
let calls = 0;
const write = (fd, bytes, at) => {
  if (++calls === 4) throw Object.assign(new Error("try again"), { code: "EAGAIN" });
  return writeSync(fd, bytes, at, calls === 3 ? 40 : bytes.length - at);
};
const output`,
);
const WHOLE = Array.from({ length: LINES }, (_, n) => `${String(n).padStart(99, "–").slice(-99)}\n`).join("");

/** @returns its exit code, and what it said of itself */
async function ended(child: ReturnType<typeof spawn>): Promise<[number | null, string]> {
  const said = text(child.stderr!);
  const [code] = (await once(child, "close")) as [number | null];
  return [code, (await said).trim()];
}

test("what a full pipe did not take is written by the stream, in its order", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", AGAIN], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, end] = await Promise.all([text(child.stdout!), ended(child)]);
  expect([out === WHOLE, ...end]).toEqual([true, 0, "false undefined"]);
});

test("a reader that left is no fault", async () => {
  // Which code the system gives depends on the kind of pipe, and on what the reader had read.
  const script = `
import { Output } from "${OUTPUT}";
for (const code of ["EPIPE", "ECONNRESET", "ENOTCONN", "EIO"])
  new Output(() => {
    throw Object.assign(new Error("left"), { code });
  }).write("one\\n");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "pipe"] });
  expect(await ended(child)).toEqual([0, ""]);
});

/** A process that ends with `code`, and whose second line meets a full disk. */
function fullOnce(code: number): string[] {
  const script = `
import { writeSync } from "node:fs";
import { Output } from "${OUTPUT}";
let calls = 0;
const output = new Output((fd, bytes, at) => {
  if (++calls === 2) throw Object.assign(new Error("full"), { code: "ENOSPC" });
  return writeSync(fd, bytes, at);
});
for (const line of ["one\\n", "two\\n", "three\\n"]) output.write(line);
process.exitCode = ${code};`;
  return ["--input-type=module", "-e", script];
}

const NOT_ALL = [
  "mdmirror: the output is incomplete: standard output cannot be written (ENOSPC)",
  "  next: the command itself was carried out (see: mdmirror log); free some space on that disk, or print elsewhere",
].join("\n");

test.each([
  { outcome: 0, exit: 1 },
  { outcome: 5, exit: 5 },
])(
  "a line that a full disk refuses ends nothing: $outcome becomes $exit, and it is reported",
  async ({ outcome, exit }) => {
    const child = spawn(process.execPath, fullOnce(outcome), { stdio: ["ignore", "pipe", "pipe"] });
    const [out, end] = await Promise.all([text(child.stdout!), ended(child)]);
    expect([out, ...end]).toEqual(["one\nthree\n", exit, NOT_ALL]);
  },
);

describe.skipIf(process.platform !== "linux")("of a device that is full (needs Linux)", () => {
  test.each([["--version"], ["sync", "--help"]])("%s %s reports it", async (...args) => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect(await ended(child)).toEqual([1, NOT_ALL]);
  });

  test("standard error changes no exit code", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [ENTRY, "no-such-command"], { stdio: ["ignore", "ignore", full] });
    closeSync(full);
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(2);
  });
});
