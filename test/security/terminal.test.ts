import { afterEach, describe, expect, it, vi } from "vitest";
import { formatJsonLine, escapeLines, escapeLine } from "../../src/cli/text.ts";
import { createProcessIo } from "../../src/cli/process-io.ts";

/**
 * Names and details come from the service and the disk. Printed, they must not control the
 * terminal, and must not look like another name.
 */

describe("a line on a terminal", () => {
  it.each([
    ["a\u202egnp.md", "a\\u{202e}gnp.md"],
    ["\u2066x\u2069.md", "\\u{2066}x\\u{2069}.md"],
    ["x\u001b[2J.md", "x\\u{1b}[2J.md"],
    ["x\u001b]0;title\u0007.md", "x\\u{1b}]0;title\\u{7}.md"],
    ["x\u001b[31.md", "x\\u{1b}[31.md"],
    ["x\u009b2J.md", "x\\u{9b}2J.md"],
    ["x\rok: in sync", "x\\rok: in sync"],
    ["x\nin sync: nothing to do", "x\\nin sync: nothing to do"],
    ["x\b\b\b.md", "x\\u{8}\\u{8}\\u{8}.md"],
    ["x\u2028.md", "x\\u{2028}.md"],
  ])("%j is shown as %j", (line, shown) => {
    expect(escapeLine(line, true)).toBe(shown);
  });

  it.each([
    "caf\u00e9 \u754c \ud83d\ude00.md",
    "\u05e9\u05dc\u05d5\u05dd.md",
    "a\tb",
    "\u001b[32madded\u001b[0m",
    "\u001b[1;31mx\u001b[m",
  ])("%j stays as it is", (line) => {
    expect(escapeLine(line, true)).toBe(line);
  });
});

function writtenBy(say: (io: ReturnType<typeof createProcessIo>) => void, terminal: boolean): string {
  const written: string[] = [];
  const stdout = { write: (text: string) => void written.push(text), isTTY: terminal, columns: 80 };
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("TERM", "xterm");
  say(createProcessIo(stdout));
  return written.join("");
}

describe("the command line's output", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([true, false])("is steered by no name, and is one line a call (terminal: %s)", (terminal) => {
    const name = "a\u202e\u001b[2J\nin sync.md";
    expect(writtenBy((io) => io.out(name), terminal)).toBe("a\\u{202e}\\u{1b}[2J\\nin sync.md\n");
  });

  it("has colours on a terminal, and none that a name brought into a pipe", () => {
    const say = (io: ReturnType<typeof createProcessIo>) => io.out("\u001b[31mred\u001b[0m");
    expect(writtenBy(say, true)).toBe("\u001b[31mred\u001b[0m\n");
    expect(writtenBy(say, false)).toBe("\\u{1b}[31mred\\u{1b}[0m\n");
  });

  it("is the document byte for byte in a pipe, where a text is asked for, and its lines on a terminal", () => {
    const text = "a\r\n\u001b[2J\u202e\tb\n";
    expect(writtenBy((io) => io.text(text), false)).toBe(text);
    expect(writtenBy((io) => io.text(text), true)).toBe("a\\r\n\\u{1b}[2J\\u{202e}\tb\n");
    expect(escapeLines("a\n")).toBe("a\n");
  });

  it.each([true, false])("is JSON where JSON is asked for, with each name as it is (terminal: %s)", (terminal) => {
    const value = { path: 'a\u202e\u001b[2J\n\u009b\u2028\u{1f600}".md' };
    const line = writtenBy((io) => io.out(formatJsonLine(value)), terminal);
    expect(JSON.parse(line)).toEqual(value);
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\p{Bidi_Control}]/u);
  });
});
