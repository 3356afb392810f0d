import { describe, expect, test } from "vitest";
import { runs } from "../property.ts";
import { walk } from "./walk.ts";

const STEPS = 120;

test("no random trace of the model breaks a promise", () => {
  for (let seed = 1; seed <= runs(60); seed++) {
    const { broken, events } = walk(seed, STEPS, null);
    expect({ seed, broken }).toEqual({ seed, broken: [] });
    expect(events.length).toBeGreaterThan(50);
  }
});

/** A rule, a seed whose trace needs the rule, and the promise that this trace breaks without it. */
const MUTANTS: readonly (readonly [string, number, string])[] = [
  ["a new document is looked for at every path", 1253, "a document is doubled"],
  ["a choice is about the version that was shown", 170, "base is no version that both sides had"],
  ["an absence is proven by a read", 1, "a file is deleted without proof"],
  ["a key that shows nothing proves nothing", 1, "a file is deleted without proof"],
  ["a document has one effect at a time", 11, "a decision is asked for twice"],
  ["an edit on the service is merged first", 4, "a decision is asked for twice"],
  ["a text is sent to review once", 56, "a decision is asked for twice"],
  ["an edit wins over a deletion on the service", 2, "an edit is deleted"],
  ["two edits are merged", 6, "a version that nobody saw is replaced"],
  ["a write without an answer is not sent again", 280, "a decision is asked for twice"],
  ["a deletion reads the version again", 4, "a version that nobody saw is deleted"],
  ["a deletion reads the place again", 121, "a document is deleted without proof"],
  ["a deletion looks for the file again", 316, "a document is deleted without proof"],
  ["a file that was saved meanwhile stays", 6, "a version that nobody saw is replaced"],
  ["base is a version that was seen", 13, "base is no version that both sides had"],
  ["base's text was in the folder", 4, "base is no version that both sides had"],
  ["a row ends when its end is known", 190, "a decision is asked for twice"],
  ["a version is shown once", 5, "a decision is asked for twice"],
];

describe("a random trace of each mutant breaks a promise", () => {
  test.each(MUTANTS)("without the rule: %s (seed %i)", (rule, seed, promise) => {
    expect(walk(seed, STEPS, rule).broken).toContain(promise);
    expect(walk(seed, STEPS, null).broken).toEqual([]);
  });
});
