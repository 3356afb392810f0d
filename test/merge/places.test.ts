import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";

/** A text of blocks with blank lines between them. */
const blocks = (...all: readonly string[]): string => `${all.join("\n\n")}\n`;

describe("I28 a change that could be lost because lines look alike is a conflict", () => {
  it.each([
    [
      "a removed paragraph that the other side marked, beside one that it removed",
      blocks("b0", "b1", "b2", "b3"),
      blocks("b0", "b1", "b3"),
      blocks("b0", "**b2**", "b3"),
    ],
    [
      "a removed list that the other side quoted, beside a paragraph that it removed",
      blocks("b0", "b1", "- b2\n- b4", "b3"),
      blocks("b0", "b1", "b3"),
      blocks("b0", "> - b2\n> - b4", "b3"),
    ],
    [
      "a rewritten paragraph that the other side removed, below code",
      blocks("~~~\nb0\n~~~", "b1 b2", "b3"),
      blocks("b1 l b2", "b3"),
      blocks("~~~\nb0\n~~~", "b3"),
    ],
    [
      "a removed paragraph between code that was removed and code that is new",
      blocks("~~~\nb0\nb1\nb2\n~~~", "b3 b4", "- b5"),
      blocks("~~~\nb0\nb1\nb2\n~~~", "- b5"),
      blocks("b3 b4", "~~~\nr0\nr1\n~~~", "- b5"),
    ],
    [
      "a removed paragraph that the other side added to, with changes elsewhere",
      blocks("~~~\nb0\n~~~", "b1 b2", "b3 b4 b5", "~~~\nb6\nb7\n~~~"),
      blocks("~~~\nb0\n~~~", "b1 b2", "~~~\nb6\nl\nb7\n~~~"),
      blocks("~~~\nb0\n~~~", "b3 b4 b5 r", "~~~\nb6\nb7\n~~~"),
    ],
    [
      "removed words that stand in a line of their own in the other side's text",
      "a you hook. you `send`; if you are using a middleware, `end`.\n```js\n",
      "a you hook. you `send`.\n```js\n",
      "hook.\nif you are using a middleware, ",
    ],
    [
      "words added to a heading that the other side took away",
      blocks("## b0 b1 b2", "~~~\nb3\n~~~"),
      blocks("## b0 b1 b2 l", "~~~\nb3\n~~~"),
      ":::tip\n~~~\nb3\n~~~\n:::\n",
    ],
    [
      "code made of a paragraph that the other side rewrote, below new code",
      blocks("b0 b1 b2", "~~~\nb3\nb4\n~~~"),
      blocks("```\nb0 b1 b2\n```", "> ~~~\n> b3\n> b4\n> ~~~"),
      blocks("```\n## r1 r2\n```", "b0 r b2", "~~~\nb3\nb4\n~~~"),
    ],
  ])("%s", (_title, base, local, remote) => {
    expect(mergeText(base, local, remote).kind).toBe("conflict");
    expect(mergeText(base, remote, local).kind).toBe("conflict");
  });
});
