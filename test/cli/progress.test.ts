import { describe, expect, test } from "vitest";
import type { Io } from "../../src/cli/command.ts";
import { barLine, showProgress } from "../../src/cli/progress.ts";
import { count, plural } from "../../src/model/count.ts";

function ioOf(terminal: boolean) {
  const shown: string[] = [];
  let now = 0;
  const io = {
    err: (line: string) => void shown.push(`err ${line}`),
    status: (text: string) => void shown.push(`status ${text}`),
    terminal: { input: terminal, output: terminal, error: terminal, columns: 80 },
    clock: { now: () => now, monotonic: () => now, sleep: async () => undefined },
  } as unknown as Io;
  const pass = (ms: number) => {
    now += ms;
  };
  return { io, shown, pass };
}

describe("progress", () => {
  test.each([
    [0, null, 0, "mirroring …"],
    [1_200, null, 0, "mirroring 1,200 …"],
    [0, 2_400, 0, "mirroring ░░░░░░░░░░░░░░░░░░░░░░░░ 0/2,400"],
    [1_200, 2_400, 3_000, "mirroring ████████████░░░░░░░░░░░░ 1,200/2,400  400/s  3 s left"],
    [3, 10, 2_000, "mirroring ███████░░░░░░░░░░░░░░░░░ 3/10  1.5/s  5 s left"],
    [1, 1_000, 1_000, "mirroring ░░░░░░░░░░░░░░░░░░░░░░░░ 1/1,000  1.0/s  17 min left"],
    [10, 10, 2_000, "mirroring ████████████████████████ 10/10  5.0/s"],
  ])("%i of %s after %i ms is shown with rate and time left", (done, total, ms, line) => {
    expect(barLine("mirroring", done, total, ms)).toBe(line);
  });

  test("on a terminal is drawn ten times a second at most, and taken away at the end", () => {
    const { io, shown, pass } = ioOf(true);
    const progress = showProgress(io, false);
    for (let n = 1; n <= 100; n++) {
      progress.report("apply", n, 1_000);
      pass(10);
    }
    progress.end();
    expect(shown.length).toBe(11);
    expect(shown.at(-1)).toBe("status ");
  });

  test("in a pipe is silent for ten seconds, then a line now and then", () => {
    const { io, shown, pass } = ioOf(false);
    const progress = showProgress(io, false);
    for (let second = 0; second < 25; second++) {
      progress.report("apply", second, 100);
      pass(1_000);
    }
    progress.end();
    expect(shown).toEqual([
      "err mdmirror: mirroring, 10 of 100  1.0/s  90 s left",
      "err mdmirror: mirroring, 20 of 100  1.0/s  80 s left",
    ]);
  });

  test("with --quiet or --json is nothing at all", () => {
    const { io, shown, pass } = ioOf(true);
    const progress = showProgress(io, true);
    pass(60_000);
    progress.report("apply", 1, 2);
    progress.end();
    expect(shown).toEqual([]);
  });

  test("counts with commas and in the plural", () => {
    expect([count(0), count(999), count(1_000), count(1_234_567), plural(1, "step"), plural(0, "step")]).toEqual([
      "0",
      "999",
      "1,000",
      "1,234,567",
      "1 step",
      "0 steps",
    ]);
  });
});
