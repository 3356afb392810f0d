import { describe, expect, test } from "vitest";
import { settableClock } from "../state/fixture.ts";
import { barLine, type ProgressIo, showProgress } from "../../src/cli/progress.ts";

/** Keeps what is shown; its time passes when a test says so. */
class ShownIo implements ProgressIo {
  readonly shown: string[] = [];
  readonly clock = settableClock(0);
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
