import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { isUnresolved } from "../../src/markdown/merge/sound.ts";

const MARKED = "<<<<<<< HEAD\none two three four five.\n=======\nun deux trois.\n>>>>>>> 0123abc\n";

describe("I28 what nobody could merge without asking is a conflict", () => {
  it.each([
    [
      "words inside a conflict that is not resolved yet",
      "# title\n\none two three four five.\n",
      `# title\n\n${MARKED}`,
      "# title\n\none 2 three four five.\n",
    ],
    [
      "sections of one name behind others",
      "# log\n\n## v1\n\nfirst\n",
      "# log\n\n## v3\n\nthird\n\n## v2\n\nsecond, as here\n\n## v1\n\nfirst\n",
      "# log\n\n## v2\n\nsecond, as there\n\n## v1\n\nfirst\n",
    ],
    [
      "sections whose names differ in the order of words",
      "# log\n\n## v1\n\nfirst\n",
      "# log\n\n## CLI only\n\n- a new command\n\n## v1\n\nfirst\n",
      "# log\n\n## Only CLI\n\n- an option less\n\n## v1\n\nfirst\n",
    ],
    [
      "a heading and a word, above text that the other side put into a directive, whichever side is merged first",
      "b0 b1\n\nb2 b3\n",
      "b0 b1\n\n## l1 l2\n\nb2 l0\n",
      "r1 r2\n\n> b0 b1\n\n:::tip\nb2 b3\n:::\n",
    ],
    [
      "a removed paragraph of which the other side's keeps half the words, without the fence above it",
      "b0\n\n~~~\nb1\n~~~\n\nb2 b3\n\nb4\n\nb5\n",
      "b0\n\n~~~\nb1\n~~~\n\nb4\n\nb5\n",
      "b0\n\nr0 b3\n\nb4\n\n**b5**\n",
    ],
  ])("%s", (_title, base, local, remote) => {
    expect(mergeText(base, local, remote).kind).toBe("conflict");
    expect(mergeText(base, remote, local).kind).toBe("conflict");
  });

  it("but lines merge beside a conflict that is not resolved yet", () => {
    const [base, local, remote] = [
      "# title\n\none\n\nseven\n\neight\n",
      `# title\n\n${MARKED}\nseven\n\neight\n`,
      "# title\n\none\n\nseven\n\n8\n",
    ];
    expect(mergeText(base, local, remote)).toMatchObject({
      kind: "clean",
      text: `# title\n\n${MARKED}\nseven\n\n8\n`,
    });
  });

  it("and sections of one name under different ones are two", () => {
    const [base, local, remote] = [
      "# log\n\n## v1\n\nfirst\n",
      "# log\n\n## v3\n\n### Fixed\n\n- this\n\n## v1\n\nfirst\n",
      "# log\n\n## v2\n\n### Fixed\n\n- that\n\n## v1\n\nfirst\n",
    ];
    const merged = mergeText(base, local, remote);
    expect(merged).toMatchObject({ kind: "clean" });
  });

  it("takes for a conflict only what has all three markers in order", () => {
    expect(isUnresolved(MARKED)).toBe(true);
    expect(isUnresolved(`text\n${MARKED}`)).toBe(true);
    expect(isUnresolved("# Title\n=======\n\n>>>>>>> deep quote\n")).toBe(false);
    expect(isUnresolved(MARKED.replace("=======", "======"))).toBe(false);
  });
});
