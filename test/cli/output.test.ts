import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ENTRY } from "../program.ts";
import { SettableClock } from "../state/fixture.ts";
import { formatBar, type ProgressIo, showProgress } from "../../src/cli/use-mirror.ts";
import { toUnwritableTrouble } from "../../src/common/trouble.ts";
import { findExitOfTrouble, pickWorstExit } from "../../src/cli/exit.ts";

/**
 * Standard output of a real process: a file, a pipe, a full pipe, a pipe that the reader closed.
 */

const OUTPUT = new URL("../../src/cli/process-io.ts", import.meta.url).href;
const LINES = 4_000;
/** Writes 400 kB, more than the buffer of a pipe. */
const SCRIPT = `
import { Output } from "${OUTPUT}";
const output = new Output();
for (let n = 0; n < ${LINES}; n++) output.write(String(n).padStart(99, "–").slice(-99) + "\\n");
console.error(output.isTTY, output.columns);
`;
/** Writes the same to a pipe that takes half of the third write and then reports EAGAIN once. */
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

/** Returns the exit code and standard error of a process. */
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
  // The error code depends on the kind of pipe and on what the reader has read.
  const script = `
import { Output } from "${OUTPUT}";
for (const code of ["EPIPE", "ECONNRESET", "ENOTCONN", "EIO"])
  new Output(() => {
    throw Object.assign(new Error("left"), { code });
  }).write("one\\n");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "pipe"] });
  expect(await ended(child)).toEqual([0, ""]);
});

/**
 * Returns the arguments of a process that ends with `code`, and whose second line meets a full
 * disk.
 */
function scriptWithFullDisk(code: number): string[] {
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
    const child = spawn(process.execPath, scriptWithFullDisk(outcome), { stdio: ["ignore", "pipe", "pipe"] });
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

describe("progress", () => {
  /** Records the output. Its clock is set by the test. */
  class ShownIo implements ProgressIo {
    readonly shown: string[] = [];
    readonly clock = new SettableClock(0);
    readonly terminal: ProgressIo["terminal"];

    constructor(terminal: boolean) {
      this.terminal = { input: terminal, output: terminal, error: terminal, columns: 80 };
    }

    err(line: string): void {
      this.shown.push(`err ${line}`);
    }

    status(text: string): void {
      this.shown.push(`status ${text}`);
    }

    pass(ms: number): void {
      this.clock.set(this.clock.now() + ms);
    }
  }

  test.each([
    [0, null, 0, "mirroring …"],
    [1_200, null, 0, "mirroring 1,200 …"],
    [0, 2_400, 0, "mirroring ░░░░░░░░░░░░░░░░░░░░░░░░ 0/2,400"],
    [1_200, 2_400, 3_000, "mirroring ████████████░░░░░░░░░░░░ 1,200/2,400  400/s  3 s left"],
    [3, 10, 2_000, "mirroring ███████░░░░░░░░░░░░░░░░░ 3/10  1.5/s  5 s left"],
    [1, 1_000, 1_000, "mirroring ░░░░░░░░░░░░░░░░░░░░░░░░ 1/1,000  1.0/s  17 min left"],
    [10, 10, 2_000, "mirroring ████████████████████████ 10/10  5.0/s"],
  ])("%i of %s after %i ms is shown with rate and time left", (done, total, ms, line) => {
    expect(formatBar("mirroring", done, total, ms)).toBe(line);
  });

  test("on a terminal is drawn ten times a second at most, and taken away at the end", () => {
    const io = new ShownIo(true);
    const progress = showProgress(io, false);
    for (let n = 1; n <= 100; n++) {
      progress.report("apply", n, 1_000);
      io.pass(10);
    }
    progress.end();
    expect(io.shown.length).toBe(11);
    expect(io.shown.at(-1)).toBe("status ");
  });

  test("in a pipe is silent for ten seconds, then a line now and then", () => {
    const io = new ShownIo(false);
    const progress = showProgress(io, false);
    for (let second = 0; second < 25; second++) {
      progress.report("apply", second, 100);
      io.pass(1_000);
    }
    progress.end();
    expect(io.shown).toEqual([
      "err mdmirror: applying changes, 10 of 100  1.0/s  90 s left",
      "err mdmirror: applying changes, 20 of 100  1.0/s  80 s left",
    ]);
  });

  test("with --quiet or --json is nothing at all", () => {
    const io = new ShownIo(true);
    const progress = showProgress(io, true);
    io.pass(60_000);
    progress.report("apply", 1, 2);
    progress.end();
    expect(io.shown).toEqual([]);
  });
});

describe("a full disk", () => {
  const FULL = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

  test.each(FULL)("by %s has an exit code of its own, and its own next step", (code) => {
    const usual = { kind: "usage", next: "give this user the right to write there" } as const;
    const ended = toUnwritableTrouble("the list", Object.assign(new Error("no"), { code }), usual);
    if (ended.kind === "ok") throw new Error("it was written");
    expect(ended.trouble).toMatchObject({ kind: "fault", code });
    expect(ended.trouble.next).not.toBe(usual.next);
    expect(findExitOfTrouble(ended.trouble)).toBe(9);
  });

  test("is no right that is missing", () => {
    const error = Object.assign(new Error("no"), { code: "EACCES" });
    const usual = { kind: "usage", next: "give this user the right to write there" } as const;
    expect(toUnwritableTrouble("the list", error, usual)).toMatchObject({ trouble: { ...usual, code: "EACCES" } });
    expect(findExitOfTrouble({ kind: "usage", code: "EACCES" })).toBe(2);
    expect(findExitOfTrouble({ kind: "fault", code: "EIO" })).toBe(1);
  });

  test("of one folder comes before what other folders need", () => {
    expect([pickWorstExit([3, 9, 5]), pickWorstExit([9, 1])]).toEqual([9, 1]);
  });
});

const SOURCE = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));

/** Runs a process that reports the given platform and fails when it loads a second module. */
function runAs(platform: string): { readonly status: number | null; readonly out: string; readonly err: string } {
  const preload = `
    import { registerHooks } from "node:module";
    Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} });
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:") && !url.endsWith("/entry.mjs")) throw new Error("loaded " + url);
      return next(url, context);
    } });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, SOURCE, "--version"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
  return { status, out: stdout, err: stderr };
}

test("on Windows it says in one sentence what Windows lacks, before anything is loaded", () => {
  const { status, out, err } = runAs("win32");
  expect([status, out]).toEqual([2, ""]);
  expect(err).toMatch(/^mdmirror: runs on Linux and macOS, and not on Windows, [^.\n]+; run it in WSL 2\.\n$/);
  for (const missing of ["key", "links", "legal names", "holds open", "daemon", "login"])
    expect(err).toContain(missing);
});

test("on other systems it loads the program", () => {
  const { status, err } = runAs("linux");
  expect([status, err]).toEqual([1, expect.stringMatching(/loaded .*\/src\/cli\/main\.ts/)]);
});
