import { describe, expect, it } from "vitest";
import { MERGE_STEPS, newBudget } from "../../src/markdown/merge/budget.ts";
import { mergeText, mergeWithinLines } from "../../src/markdown/merge/merge.ts";
import { mergeLines } from "../../src/markdown/merge/lines.ts";
import { diff, MAX_EDIT_LENGTH } from "../../src/markdown/merge/diff.ts";
import { createReading } from "../../src/markdown/merge/reading.ts";
import { ADVERSARIES } from "./adversaries.ts";

/**
 * Returns a document of 51,200 characters whose pieces differ between the sides, so that every diff
 * is slow.
 */
const hard = (side: number, piece: (at: number) => string): string => {
  let text = "";
  for (let at = side; text.length < 51_200; at++) text += piece(Math.imul(at, 2654435761 + side) >>> 7);
  return text;
};

const items = (mark: string): string => Array.from({ length: 101 }, (_, at) => `- ${mark}${at}\n`).join("");

describe("cost", () => {
  it.each([
    ["one-character lines", (at: number) => `${at % 2}\n`],
    ["lines alternating with blanks", (at: number) => `${at % 7}\n\n`],
    ["random lines", (at: number) => `${at % 97}\n`],
  ])("refuses %s before they are handed to the line merge", (_title, piece) => {
    const texts = [1, 2, 3].map((side) => hard(side, piece)) as [string, string, string];
    expect(mergeLines(...texts, createReading())).toBeUndefined();
    expect(mergeText(...texts)).toMatchObject({ kind: "conflict", reason: "too-large" });
  });

  it.each(Object.entries(ADVERSARIES))("stops within a tenth past its budget on %s", (_title, make) => {
    const reading = createReading();
    mergeWithinLines(...make(), reading);
    expect(reading.left).toBeGreaterThan(-MERGE_STEPS / 10);
  });

  it("takes what differs for one replacement past the longest edit script", () => {
    const apart = Array.from({ length: MAX_EDIT_LENGTH }, (_, at) => at);
    const swapped = apart.toReversed();
    const edits = diff([-1, ...apart, -2], [-1, ...swapped, -2], newBudget());
    expect(edits).toEqual([{ start: 1, end: MAX_EDIT_LENGTH + 1, from: 1, to: MAX_EDIT_LENGTH + 1 }]);
  });

  it("compares no more pairs of added entries than it may", () => {
    expect(mergeText("", items("l"), items("r")).kind).toBe("conflict");
    expect(mergeText("# L\n", `# L\n${items("l").slice(0, 50)}\n`, `# L\n${items("r").slice(0, 50)}\n`).kind).toBe(
      "clean",
    );
  });
});
