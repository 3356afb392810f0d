import { afterEach, describe, expect, it, vi } from "vitest";
import { forTerminal } from "../../src/cli/paint.ts";
import { processIo } from "../../src/cli/process-io.ts";

/** Names and details come from the service and the disk: what is shown of them cannot steer a terminal, nor pass for another name. */

describe("a line on a terminal", () => {
  it.each([
    ["a\u202egnp.md", "a\\u{202e}gnp.md"],
    ["\u2066x\u2069.md", "\\u{2066}x\\u{2069}.md"],
    ["x\u001b[2J.md", "x\\u{1b}[2J.md"],
    ["x\u001b]0;title\u0007.md", "x\\u{1b}]0;title\\u{7}.md"],
    ["x\u001b[31.md", "x\\u{1b}[31.md"],
    ["x\u009b2J.md", "x\\u{9b}2J.md"],
    ["x\rok: in sync", "x\\u{d}ok: in sync"],
    ["x\b\b\b.md", "x\\u{8}\\u{8}\\u{8}.md"],
    ["x\u2028.md", "x\\u{2028}.md"],
  ])("%j is shown as %j", (line, shown) => {
    expect(forTerminal(line)).toBe(shown);
  });

  it.each([
    "caf\u00e9 \u754c \ud83d\ude00.md",
    "\u05e9\u05dc\u05d5\u05dd.md",
    "a\tb",
    "two\nlines",
    "\u001b[32madded\u001b[0m",
    "\u001b[1;31mx\u001b[m",
  ])("%j stays as it is", (line) => {
    expect(forTerminal(line)).toBe(line);
  });
});

describe("the command line's output", () => {
  const { isTTY } = process.stdout;
  afterEach(() => {
    vi.restoreAllMocks();
    process.stdout.isTTY = isTTY;
  });

  it("is steered by no name on a terminal, and is byte for byte in a pipe", () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
    const io = processIo();
    for (const terminal of [true, false]) {
      process.stdout.isTTY = terminal;
      io.out("a\u202e\u001b[2J.md");
    }
    expect(written).toEqual(["a\\u{202e}\\u{1b}[2J.md\n", "a\u202e\u001b[2J.md\n"]);
  });
});
