import { describe, expect, test } from "vitest";
import { type CompiledRegex, compileRegex, MOST_STEPS } from "../../../src/core/search/engine.ts";
import { matchLines } from "../../../src/core/search/regex.ts";
import { memoryIndex } from "./memory-index.ts";

function compiled(pattern: string): CompiledRegex {
  const result = compileRegex(pattern);
  if (result.kind !== "compiled") throw new Error(result.why);
  return result.regex;
}

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
        matchLines(text, compiled(pattern), () => false),
        pattern,
      ).toHaveLength(1);
    }
  });

  test("gives nothing when time runs out, between documents or between lines", () => {
    const { regex, searched } = memoryIndex({ "a.md": "x\nx\nx", "b.md": "x" });
    for (const patience of [0, 1, 2, 4]) {
      let asked = 0;
      expect(regex(searched, compiled("x"), 50, () => ++asked > patience)).toEqual({ kind: "out-of-time" });
    }
    expect(regex(searched, compiled("x"), 50, () => false)).toMatchObject({ kind: "found", hits: { length: 2 } });
  });
});
