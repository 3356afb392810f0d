import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { checkRowsBothWays } from "./rows.ts";

const blocks = (...all: readonly string[]): string => `${all.join("\n\n")}\n`;

const CODE = "```js\nlet id = ask(one);\nshow(id);\n```";
const NEWER = "```js\nconst id = ask(one);\nprint(id);\n```";
const MORE = "```js\nfor (const one of list) {\nlet id = ask(one);\nprint(one, id, all.of(them), at.last());\n}\n```";

describe("I28 a piece of new text may quote elsewhere what the other side removed", () => {
  it.each([
    [
      "a comment of code that the other side translated",
      blocks("intro", CODE, "some text between", "the end"),
      blocks("intro", CODE, "some text between", `Here is the same for many:\n\n${MORE}`, "the end"),
      blocks("intro", NEWER, "some text between", "the end"),
    ],
  ])("%s", (_title, base, local, remote) => {
    const merged = mergeText(base, local, remote);
    expect(merged.kind).toBe("clean");
    expect(mergeText(base, remote, local)).toEqual(merged);
    if (merged.kind !== "clean") return;
    for (const side of [local, remote]) {
      expect(mergeText(base, side, merged.text)).toMatchObject({ kind: "clean", text: merged.text });
      expect(mergeText(base, merged.text, side)).toMatchObject({ kind: "clean", text: merged.text });
    }
  });

  it("is not one where the removed line comes back by itself", () => {
    const base = blocks("first", "the line to go", "second of these", "third of these");
    const gone = blocks("first", "second of these", "third of these");
    const moved = blocks("first", "second of these", "the line to go", "third of these");
    expect(mergeText(base, gone, moved).kind).toBe("conflict");
    expect(mergeText(base, moved, gone).kind).toBe("conflict");
  });
});

const code = (...lines: readonly string[]): string => ["```rust", ...lines, "```"].join("\n");
const LIST = "- d0\n- d1\n- d2\n- d3";

describe("I28 a line that one side moved has not come back", () => {
  checkRowsBothWays([
    [
      "a function that got a block of its own, above a rewritten section",
      blocks("intro", code("fn one", "fn two"), "The old one.", "## Next", "Tail here.", "end"),
      blocks(
        "intro",
        code("fn one", "fn two"),
        "The old one.",
        "### Next",
        `Tail, with more:\n\n${code("third")}`,
        "end",
      ),
      blocks("intro", code("fn one"), "A new one that says why.", code("fn two"), "## Next", "Tail here.", "end"),
      blocks(
        "intro",
        code("fn one"),
        "A new one that says why.",
        code("fn two"),
        "### Next",
        `Tail, with more:\n\n${code("third")}`,
        "end",
      ),
    ],
    [
      "a text below a new heading, of which the list below it was removed, above another list",
      blocks("- b1\n- b2", "middle text", "- c0\n- c1\n- c2", LIST),
      blocks("- b1\n- b2", "middle text", "- c0\n- c1\n- c2", "- d0\n- l1\n- l0\n- d3"),
      blocks("- b1\n- b2", "## new head", "middle text", LIST),
      blocks("- b1\n- b2", "## new head", "middle text", "- d0\n- l1\n- l0\n- d3"),
    ],
  ]);
});
