import { describe, expect, test } from "vitest";
import { countCells, formatColumns, cutToCells, isColoured, padToCells } from "../../src/cli/text.ts";
import { createStatusLine } from "../../src/cli/process-io.ts";
import { useRig } from "./rig.ts";

describe("the cells that a text takes", () => {
  test.each([
    ["plain", 5],
    ["日本語.md", 9],
    ["cafe\u0301", 4],
    ["한글", 4],
    ["👩‍👩‍👧 a", 4],
    ["ｆｕｌｌ", 8],
    ["█░", 2],
    ["\u001b[32mgreen\u001b[0m", 5],
    ["a\u200bb", 2],
  ])("%s: %i", (text, cells) => {
    expect(countCells(text)).toBe(cells);
  });

  test("are cut and filled by whole characters", () => {
    expect(cutToCells("日本語", 5)).toBe("日本");
    expect(cutToCells("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301e\u0301");
    expect(padToCells("日本", 6)).toBe("日本  ");
    expect(
      formatColumns([
        ["日本.md", "x"],
        ["a.md", "y"],
      ]),
    ).toEqual(["日本.md  x", "a.md     y"]);
  });
});

function lineOf(width: { columns: number }) {
  const written: string[] = [];
  return {
    line: createStatusLine(
      (text) => void written.push(text),
      () => width.columns,
    ),
    written,
  };
}

describe("the status line", () => {
  test("leaves the last cell of the terminal free, also with wide characters", () => {
    const { line, written } = lineOf({ columns: 10 });
    line.show("日本語日本語");
    expect(written.map(countCells)).toEqual([8]);
  });

  test("is taken away whole after the terminal was made narrower, which folds it", () => {
    const width = { columns: 100 };
    const { line, written } = lineOf(width);
    line.show("x".repeat(90));
    width.columns = 40;
    line.show("y".repeat(90));
    line.clear();
    line.clear();
    expect(written).toEqual(["x".repeat(90), "\r\u001b[2A\u001b[J", "y".repeat(39), "\r\u001b[K"]);
  });
});

describe("colour", () => {
  const terminal = { input: true, output: true, error: false, columns: 80 };

  test.each([
    [{}, true, false],
    [{ NO_COLOR: "1" }, false, false],
    [{ NO_COLOR: "" }, true, false],
    [{ TERM: "dumb" }, false, false],
    [{ FORCE_COLOR: "1" }, true, true],
    [{ FORCE_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "0" }, false, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, true],
  ])("with %j: on a terminal %s, in a pipe %s", (env, onTerminal, inPipe) => {
    expect(isColoured({ env, terminal }, "output")).toEqual(onTerminal);
    expect(isColoured({ env, terminal }, "error")).toEqual(inPipe);
  });
});

describe("commands", () => {
  const rig = useRig();

  test("status, plan and conflicts have the same words with colours and without, and none in a pipe", async () => {
    rig.createRemotely("k.md", "one\n");
    await rig.init();
    rig.editBoth("k.md", "mine\n", "theirs\n");
    await rig.run(["sync", "w"]);
    rig.write("newer.md", "newer\n");
    const words = (lines: readonly string[]) => lines.map((line) => line.replace(/\u001b\[\d+m|\d+ s/g, ""));
    for (const command of ["status", "plan", "conflicts"]) {
      const piped = await rig.run([command, "w"]);
      const bare = await rig.run([command, "w"], { terminal: true, env: { NO_COLOR: "1" } });
      const coloured = await rig.run([command, "w"], { terminal: true });
      expect([command, [...piped.out, ...bare.out].join("").includes("\u001b")]).toEqual([command, false]);
      expect([command, coloured.out.join("\n")]).toEqual([command, expect.stringContaining("\u001b[3")]);
      expect(words(coloured.out)).toEqual(words(bare.out));
    }
  });
});
