import { fc } from "../property.ts";
import { expect, test } from "vitest";
import {
  areSimilar,
  areLengthsSimilar,
  makeLineProfile,
  MIN_SIMILARITY,
  computeSimilarity,
} from "../../src/mirror/model/similar.ts";

const of = (a: string, b: string): number => computeSimilarity(makeLineProfile(a), makeLineProfile(b));

test.each([
  ["one\ntwo\n", "one\ntwo\n", 1],
  ["one\ntwo\n", "two\none", 1],
  ["one\r\ntwo\r\n", "one\ntwo", 1],
  ["one\ntwo", "one\nsix", 0.5],
  ["aaaa\nbb", "aaaa\ncccc", 0.5],
  ["one", "two", 0],
  ["", "", 0],
  ["\n \n", "one", 0],
  ["a\na\na", "a", 1 / 3],
])("%j and %j share %d", (a, b, share) => expect(of(a, b)).toBeCloseTo(share));

test("half of the longer text is enough", () => {
  expect(MIN_SIMILARITY).toBe(0.5);
  expect(areSimilar(makeLineProfile("one\ntwo"), makeLineProfile("one\nsix"))).toBe(true);
  expect(areSimilar(makeLineProfile("one\ntwo"), makeLineProfile("one\nseven"))).toBe(false);
});

test("it is symmetric, within 0 and 1, and never above what the lengths allow", () => {
  const text = fc
    .array(fc.constantFrom("a", "bb", "ccc", "", " a "), { maxLength: 8 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [p, q] = [makeLineProfile(a), makeLineProfile(b)];
      expect(computeSimilarity(p, q)).toBe(computeSimilarity(q, p));
      expect(computeSimilarity(p, q)).toBeGreaterThanOrEqual(0);
      expect(computeSimilarity(p, q)).toBeLessThanOrEqual(1);
      if (areSimilar(p, q)) expect(areLengthsSimilar(p, q)).toBe(true);
    }),
  );
});
