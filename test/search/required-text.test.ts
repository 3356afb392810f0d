import { fc, runs } from "../property.ts";
import { describe, expect, test } from "vitest";
import { compileRegex } from "../../src/markdown/search/engine.ts";
import { type RequiredText, requiredTextOf } from "../../src/markdown/search/literals.ts";
import { memoryIndex } from "./memory-index.ts";

/** A need by its literals of three characters and more; null: there is none that helps. */
function told(need: RequiredText): string | null {
  switch (need.kind) {
    case "anything":
      return null;
    case "literal":
      return [...need.text].length < 3 ? null : need.text;
    default: {
      const each = need.needs.map(told);
      const known = each.filter((one) => one !== null);
      if (known.length === 0 || (need.kind === "any" && known.length < each.length)) return null;
      return known.length === 1 ? known[0]! : `(${known.join(need.kind === "all" ? " AND " : " OR ")})`;
    }
  }
}

describe("what every match of a regex contains", () => {
  test.each([
    ["abcd", "abcd"],
    ["ab", null],
    ["abc|x", null],
    ["(abc|xyz)+", "(abc OR xyz)"],
    ["abc(xyz)?", "abc"],
    ["abc?d", null],
    ["abcd*e", "abc"],
    ["abc+def", "(abc AND def)"],
    ["abc{2}def", "(abc AND def)"],
    ["abc{0,3}", null],
    ["a{,5}", "a{,5}"],
    ["\\.md\\b", ".md"],
    ["[abc]def", "def"],
    ["\\p{Greek}abc", "abc"],
    ["\\x{41}abc", "abc"],
    ["(?i)ABC", "ABC"],
    ["(?P<name>abc)", "abc"],
    ["(?i)ÄBC", null],
    ["\\Qabc\\E", null],
    ["(abc)(?i)?", null],
    ["abc(?i)def", "(abc AND def)"],
    ['a"b', 'a"b'],
    ["^#.*zip$", "zip"],
  ])("%s", (pattern, expected) => {
    expect(compileRegex(pattern).kind).toBe("compiled");
    expect(told(requiredTextOf(pattern))).toBe(expected);
  });

  const atom = fc.constantFrom(
    "a",
    "b",
    "abc",
    "cab",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\.",
    "é",
    "压缩",
    "^",
    "$",
    "\\b",
    "(?i)",
    "bca",
  );
  const times = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,1}", "*?");
  const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
    group: fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:"), tie("pattern"), times)
      .map(([open, inner, t]) => `${open}${inner})${t}`),
    pattern: fc
      .array(
        fc.oneof(
          { maxDepth: 2 },
          fc.tuple(atom, times).map((two) => two.join("")),
          tie("group"),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .chain((parts) => fc.constantFrom("", "", "|").map((join) => parts.join(join))),
  }));
  const line = fc.string({ unit: fc.constantFrom(..."abcABC.É压缩é "), maxLength: 12 });
  const text = fc
    .array(line, { maxLength: 4 })
    .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)));

  test("narrows down to no fewer documents than match", async () => {
    await fc.assert(
      fc.asyncProperty(pattern, fc.array(text, { minLength: 1, maxLength: 4 }), async (source, texts) => {
        const compiled = compileRegex(source);
        if (compiled.kind !== "compiled") return;
        const { regex } = compiled;
        const index = memoryIndex(Object.fromEntries(texts.map((each, i) => [`${i}.md`, each])));
        const result = await index.regex(regex);
        const expected = texts.flatMap((each, i) => {
          const lines = each.split(/\r\n|\n/);
          return lines.some((one, n) => (n < lines.length - 1 || one !== "") && regex.finder(one)?.() != null)
            ? [i + 1]
            : [];
        });
        expect(result.kind === "found" ? result.hits.map(({ found }) => found.document) : null).toEqual(expected);
      }),
      { numRuns: runs(100) },
    );
  });

  test("is followed to a bounded depth, into any number of alternatives", async () => {
    const index = memoryIndex({ "a.md": "abc", "b.md": "xyz" });
    for (const source of [
      `${"(abc|".repeat(170)}z${")".repeat(170)}`,
      `${"abc|".repeat(255)}abc`,
      "(abc(xyz|)".repeat(90),
    ]) {
      const compiled = compileRegex(source);
      if (compiled.kind === "compiled") expect((await index.regex(compiled.regex)).kind).toBe("found");
    }
  });
});
