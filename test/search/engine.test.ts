import { describe, expect, test } from "vitest";
import { type CompiledRegex, compileRegex, MOST_STEPS } from "../../src/search/engine.ts";
import { SEARCH_REGEX_LINES } from "../../src/contract/limits.ts";
import { matchLines } from "../../src/search/regex.ts";
import { memoryIndex } from "./memory-index.ts";

function compiled(pattern: string): CompiledRegex {
  const result = compileRegex(pattern);
  if (result.kind !== "compiled") throw new Error(result.why);
  return result.regex;
}

const run = (walk: ReturnType<ReturnType<typeof memoryIndex>["regex"]>) => walk.step(Number.MAX_SAFE_INTEGER);

describe("the regex engine", () => {
  test.each(["(", "a**", "(?=a)", "(a)\\1", "[b-a]", "a{1001}"])("calls %s malformed", (pattern) => {
    expect(compileRegex(pattern).kind).toBe("malformed");
  });

  test.each([["(?:a?){1000}".repeat(2)], ["\\pL{1000}".repeat(2)]])("calls %s too complex", (pattern) => {
    expect(compileRegex(pattern)).toMatchObject({ kind: "too-complex", why: expect.stringContaining(`${MOST_STEPS}`) });
  });

  test("is linear where backtracking is exponential", () => {
    const line = "a".repeat(4_096);
    // Backtracking would take longer than the universe has been there.
    for (const pattern of ["(a+)+$b", "(a|aa)+c", "(a*)*(a*)*(a*)*c", "^(([a-z])+.)+[A-Z]([a-z])+$"])
      expect(compiled(pattern).findAll(line, 1)).toEqual([]);
  });

  test("looks at whole texts only where that tells the same as its lines", () => {
    for (const [pattern, text] of [
      ["^b$", "a\r\nb\r\nc"],
      ["\\Ab", "a\nb"],
      ["b\\z", "b\na"],
      ["(?-m:^b)", "a\nb"],
      ["^$", "a\n\nb"],
    ] as const) {
      expect(compiled(pattern).mayMatch(text), pattern).toBe(true);
      expect(
        matchLines(text, compiled(pattern), { left: Number.POSITIVE_INFINITY }, SEARCH_REGEX_LINES),
        pattern,
      ).toHaveLength(1);
    }
  });

  test("gives nothing when the steps run out, between documents or between lines", () => {
    const { regex, searched } = memoryIndex({ "a.md": "x\nx\nx", "b.md": "x" });
    const each = compiled("x").stepsPerCharacter;
    // Looked at: five characters of a text, three lines of one; then one, and one. The last is
    // looked at although it ends the steps.
    for (const characters of [0, 4, 5, 7, 8]) {
      expect(run(regex(searched, compiled("x"), 50, characters * each))).toEqual({ kind: "too-many-steps" });
    }
    const all = run(regex(searched, compiled("x"), 50, 10 * each));
    expect(all).toMatchObject({ kind: "found", hits: { length: 2 } });
  });

  test("rests after so many steps, and finds the same", () => {
    const texts = Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`${n}.md`, `text x${n % 3}`]));
    const { regex, searched } = memoryIndex(texts);
    const search = () => regex(searched, compiled("x[12]"), 5_000, 1_000_000);
    const whole = run(search());
    for (const most of [1, 1_000, 100_000]) {
      const walk = search();
      let rests = 0;
      let result = walk.step(most);
      for (; result === null; rests++) result = walk.step(most);
      expect(result).toEqual(whole);
      expect(rests).toBeGreaterThan(most < 100_000 ? 100 : 0);
    }
    expect(whole).toMatchObject({ kind: "found", hits: { length: 800 } });
  });
});
