import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/merge/merge.ts";

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
    [
      "a note that begins as a translated one did",
      blocks("> Caution:\n>\n> Do not lean out.", "the end"),
      blocks("> Caution:\n>\n> Do not lean out.", "> Caution:\n>\n> What follows is of an older train.", "the end"),
      blocks("> Achtung:\n>\n> Nicht aus dem Fenster lehnen.", "the end"),
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
