import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { compileRegex } from "../../src/markdown/search/engine.ts";
import { type Program, scanLine } from "../../src/markdown/search/scan-line.ts";
import { fc, runs } from "../property.ts";

type Ranges = (readonly [number, number])[];
const MOST = { ranges: 100, steps: Number.POSITIVE_INFINITY };

/** Scans a line with a pattern. `parts`: the characters that were compared before each yield. */
function scan(pattern: string, line: string, most = MOST): { ranges: Ranges; parts: number[] } {
  const { start, inst }: Program = RE2JS.compile(pattern).re2().prog;
  let compared = 0;
  const program = {
    start,
    inst: inst.map((each) => ({
      ...each,
      matchRune: (character: number) => {
        compared++;
        return each.matchRune(character);
      },
    })),
  };
  const scanning = scanLine(program, line, most);
  const parts: number[] = [];
  for (;;) {
    compared = 0;
    const part = scanning.next();
    parts.push(compared);
    if (part.done === true) return { ranges: part.value, parts };
  }
}

function byEngine(pattern: string, line: string): Ranges {
  const compiled = compileRegex(pattern);
  if (compiled.kind !== "compiled") throw new Error(compiled.why);
  const next = compiled.regex.finder(line);
  const ranges: Ranges = [];
  for (let range = next?.(); range != null && ranges.length < MOST.ranges; range = next?.()) ranges.push(range);
  return ranges;
}

const atom = fc.constantFrom(
  ..."a b B . ^ $ é 🎉 \\b \\B \\A \\z \\w \\pL [ab] [^a] [a-z🎉] (?i:a) (?i:É) (?m:^) (?m:$) (?s:.) (?:) [[:upper:]]".split(
    " ",
  ),
);
const { pattern: patterns } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: atom, weight: 6 },
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{0,3}"))
      .map(([inner, times]) => `(?:${inner})${times}`),
    tie("pattern").map((inner) => `(${inner})`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
  ),
  pattern: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
}));
const lines = fc
  .array(fc.constantFrom("a", "b", "A", "É", "é", "1", " ", "-", "🎉", "\ud83c"), { maxLength: 24 })
  .map((characters) => characters.join(""));

describe("a scan in parts", () => {
  test("finds the ranges that the engine finds", () => {
    fc.assert(
      fc.property(patterns, lines, (pattern, line) => {
        expect(scan(pattern, line).ranges).toEqual(byEngine(pattern, line));
      }),
      { numRuns: runs(500) },
    );
  });

  test("finds the same, however small its parts are", () => {
    fc.assert(
      fc.property(patterns, lines, fc.nat(200), (pattern, line, steps) => {
        expect(scan(pattern, line, { ...MOST, steps }).ranges).toEqual(scan(pattern, line).ranges);
      }),
      { numRuns: runs(200) },
    );
  });

  test("runs no more instructions in a part than it may", () => {
    const steps = 5_000;
    const { ranges, parts } = scan("(?:a?){400}b|c", `${"a".repeat(1_000)}c`, { ...MOST, steps });
    expect(ranges).toEqual([[1_000, 1_001]]);
    expect(Math.max(...parts)).toBeLessThanOrEqual(steps);
    expect(parts.length).toBeGreaterThan(80);
  });

  test("ends with as many ranges as are asked for", () => {
    expect(scan("a", "aaaa", { ...MOST, ranges: 3 }).ranges).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});
