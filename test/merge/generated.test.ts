import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

/** A text of blocks with blank lines between them. */
const blocks = (...all: readonly string[]): string => `${all.join("\n\n")}\n`;
const table = (row: string): string => `| a | b |\n|---|---|\n${row}`;

// What the generator of Markdown found: each merged once, and was broken, misplaced or back.
describe("I28 generated texts that cannot be merged are a conflict", () => {
  checkRowsBothWays([
    [
      "words for the end of a line that the other side wrapped and rewrote there",
      blocks("one two three", "## next"),
      blocks("one two three four", "## next"),
      blocks("<details>", "one two tres", "</details>", "## next"),
    ],
    [
      "two words for the end of such a line, above code",
      blocks("one two", "~~~\ncode\n~~~"),
      blocks("one due tre", "~~~\ncode\n~~~"),
      blocks("<details>", "one dos", "</details>", "~~~\ncode\n~~~"),
    ],
    [
      "words for such a heading",
      blocks("## one two three", "## next"),
      blocks("## one two three four", "## next"),
      blocks("<details>", "## one two tres", "</details>", "## next"),
    ],
    [
      "words for such a paragraph, above a table",
      blocks("one two three", table("| c | d |")),
      blocks("one two three four", table("| c | d |")),
      blocks("<details>", "one two tres", "</details>", table("| c | d |")),
    ],
    [
      "a removed paragraph that the other side rewrote in place of the one above",
      blocks("one two three four five", "six seven", "## eight nine", "ten eleven twelve"),
      blocks("uno seven", "## eight nine", "ten eleven twelve"),
      blocks("one two three four five", "## eight nine", "ten eleven **twelve**"),
    ],
    [
      "a removed paragraph above a table that the other side quoted, below a new one of the same header",
      blocks("one", table("| c | d |")),
      table("| c | d |\n"),
      blocks(table("| e | f |"), "one", "> | a | b |\n> |---|---|\n> | c | d |"),
    ],
  ]);
});
