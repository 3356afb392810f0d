import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";

/** Title, base, the sides in either role, and the text that both ways round give. */
type Row = readonly [title: string, base: string, one: string, other: string, merged: string];

const ROWS: readonly Row[] = [
  [
    "on top of a list a single entry stands above several",
    "# Changes\n\n* old\n",
    "# Changes\n\n* fix rounding\n* old\n",
    "# Changes\n\n* add colours\n* drop blinking\n* old\n",
    "# Changes\n\n* fix rounding\n* add colours\n* drop blinking\n* old\n",
  ],
  [
    "on top of a change log, an entry's own list counts as part of it",
    "*   Old entry.\n\n    *Ann*\n",
    "*   Fix rounding in three places:\n\n    * here\n    * there\n\n    *Bob*\n\n*   Old entry.\n\n    *Ann*\n",
    "*   Add colours.\n\n    *Cid*\n\n*   Drop blinking.\n\n    *Dan*\n\n*   Old entry.\n\n    *Ann*\n",
    "*   Fix rounding in three places:\n\n    * here\n    * there\n\n    *Bob*\n\n" +
      "*   Add colours.\n\n    *Cid*\n\n*   Drop blinking.\n\n    *Dan*\n\n*   Old entry.\n\n    *Ann*\n",
  ],
  [
    "on top of a document one section stands above several",
    "# News\n\n## May\n\nWarm.\n",
    "# News\n\n## August\n\nHot.\n\n## May\n\nWarm.\n",
    "# News\n\n## July\n\nWet.\n\n## June\n\nWindy.\n\n## May\n\nWarm.\n",
    "# News\n\n## August\n\nHot.\n\n## July\n\nWet.\n\n## June\n\nWindy.\n\n## May\n\nWarm.\n",
  ],
];

describe("which of two insertions comes first, if the content decides", () => {
  it.each(ROWS.map((row) => ({ row })))("$row.0, whichever side is which", ({ row }) => {
    const [, base, one, other, merged] = row;
    expect(mergeText(base, one, other)).toMatchObject({ kind: "clean", text: merged });
    expect(mergeText(base, other, one)).toMatchObject({ kind: "clean", text: merged });
  });
});

describe("two insertions of which one has the other", () => {
  it("takes the longer one, also if its first line occurs twice", () => {
    const [base, one, other] = ["# Todo\n", "# Todo\n- eat\n- sleep\n", "# Todo\n- eat\n- run\n- eat\n- sleep\n"];
    expect(mergeText(base, one, other)).toMatchObject({ kind: "clean", text: other });
    expect(mergeText(base, other, one)).toMatchObject({ kind: "clean", text: other });
  });
});
