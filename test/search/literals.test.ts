import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { compileRegex } from "../../src/search/engine.ts";
import { requiredExpression } from "../../src/search/literals.ts";
import { memoryIndex } from "./memory-index.ts";

describe("what every match of a regex contains", () => {
  test.each([
    ["abcd", '("abc" AND "bcd")'],
    ["ab", null],
    ["abc|x", null],
    ["(abc|xyz)+", '("abc" OR "xyz")'],
    ["abc(xyz)?", '"abc"'],
    ["abc?d", null],
    ["abcd*e", '"abc"'],
    ["abc+def", '("abc" AND "def")'],
    ["abc{2}def", '("abc" AND "def")'],
    ["abc{0,3}", null],
    ["a{,5}", '("a{," AND "{,5" AND ",5}")'],
    ["\\.md\\b", '".md"'],
    ["[abc]def", '"def"'],
    ["[]abc]def", '"def"'],
    ["[^]abc]def", '"def"'],
    ["[[:alpha:]]def", '"def"'],
    ["[a\\]bcd]xyz", '"xyz"'],
    ["\\p{Greek}abc", '"abc"'],
    ["\\pLabc", '"abc"'],
    ["\\x{41}abc", '"abc"'],
    ["\\x41abc", '"abc"'],
    ["(?i)ABC", '"abc"'],
    ["(?i:ABC)", '"abc"'],
    ["(?P<name>abc)", '"abc"'],
    ["(?i)ÄBC", null],
    ["\\Qabc\\E", null],
    ["()abc", '"abc"'],
    ["(abc)(?i)?", null],
    ["abc(?i)def", '("abc" AND "def")'],
    ['a"b', '"a""b"'],
    ["^#.*zip$", '"zip"'],
  ])("%s", (pattern, expected) => {
    expect(compileRegex(pattern).kind).toBe("compiled");
    expect(requiredExpression(pattern)).toBe(expected);
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

  test("narrows down to no fewer documents than match", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 4 }), (source, texts) => {
        const compiled = compileRegex(source);
        if (compiled.kind !== "compiled") return;
        const { searched, regex } = memoryIndex(Object.fromEntries(texts.map((each, i) => [`${i}.md`, each])));
        const result = regex(searched, compiled.regex, 500, Number.MAX_SAFE_INTEGER).step(Number.MAX_SAFE_INTEGER)!;
        const expected = texts.flatMap((each, i) =>
          each
            .split(/\r\n|\n/)
            .some((one, n, all) => (n < all.length - 1 || one !== "") && compiled.regex.findAll(one, 1).length > 0)
            ? [i + 1]
            : [],
        );
        expect(result.kind === "found" ? result.hits.map(({ document }) => document) : null).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });
});
