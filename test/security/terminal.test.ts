import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { escapeLine, escapeLines, formatJsonLine } from "../../src/cli/text.ts";
import { createProcessIo } from "../../src/cli/process-io.ts";
import { writeFileSync } from "node:fs";
import { hasControlCharacters } from "../../src/common/shown-words.ts";
import { type CommandResult, useRig } from "../cli/rig.ts";

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

describe("names with line feeds, terminal colours and marks of text direction", () => {
  const FORGED = "Synced: nothing to do";
  const ODD = `x\n${FORGED}\u001b[8m\u202e`;
  const FILES = ["conflict", "deleted", "edited", "refused"].map((what) => `${what}${ODD}.md`);
  const [CONFLICT, DELETED, EDITED, REFUSED] = FILES as [string, string, string, string];

  const rig = useRig();
  beforeEach(async () => {
    await rig.init();
  });

  /** Colour codes of mdmirror itself are allowed. */
  function expectTame(what: string, { out, err, asked }: CommandResult): void {
    const lines = [...out, ...err, ...asked];
    expect(lines.length, what).toBeGreaterThan(0);
    for (const line of lines) {
      expect(hasControlCharacters(line), `${what}: ${JSON.stringify(line)}`).toBe(false);
      expect(line.startsWith(FORGED), what).toBe(false);
    }
  }

  const remotes = () =>
    (rig.api("GET", "/v1/files") as { data: { id: string; path: string; lastChangeId: string }[] }).data;

  /**
   * Causes a conflict, a deletion, an edit and content that cannot be sent. No command has reported
   * any of them yet.
   */
  async function causeProblems(): Promise<void> {
    for (const name of FILES) rig.write(name, "first\n");
    expectTame("first", await rig.run(["sync", "w"]));
    const { id, lastChangeId } = remotes().find(({ path }) => path.startsWith("/conflict"))!;
    rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: "theirs\n" });
    rig.write(CONFLICT, "mine\n");
    rig.remove(DELETED);
    rig.write(EDITED, "edited\n");
    writeFileSync(rig.path(REFUSED), Buffer.from([0xff, 0xfe, 0x41]));
  }

  test("no command lets a name make a line of its own, or steer", async () => {
    await causeProblems();
    expectTame("plan", await rig.run(["plan", "w"]));
    expectTame("sync", await rig.run(["sync", "w"]));
    for (const command of ["status", "conflicts", "verify", "log", "diff", "doctor", "fix-names", "undo --dry-run"]) {
      const [name, ...more] = command.split(" ") as [string, ...string[]];
      expectTame(command, await rig.run([name, ...(name === "diff" ? [] : ["w"]), ...more], { cwd: rig.root }));
    }
    for (const path of [...FILES, `gone${ODD}.md`]) {
      const at = rig.path(path);
      for (const command of ["why", "history", "restore --dry-run", "conflicts show", "resolve --keep", "protect"]) {
        const [name, ...more] = command.split(" ") as [string, ...string[]];
        const argv = name === "conflicts" ? [name, ...more, at] : [name, at, ...more];
        expectTame(`${command} ${path}`, await rig.run(argv));
      }
    }
    expectTame("search", await rig.run(["search", "conflict", "w"]));
  });

  test("--json gives each name as it is", async () => {
    await causeProblems();
    const { out } = await rig.run(["sync", "w", "--json"]);
    const { attention } = JSON.parse(out[0]!) as { attention: { path: string }[] };
    expect(attention.map(({ path }) => path)).toEqual(expect.arrayContaining([CONFLICT, REFUSED]));
    expect(out.every((line) => !hasControlCharacters(line))).toBe(true);
  });
});
