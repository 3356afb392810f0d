import { fc, runs } from "../property.ts";
import { describe, expect, test } from "vitest";
import { compileRegex } from "../../src/markdown/search/engine.ts";
import { documentsWithLiteral, documentsWithRequired, type KeySet } from "../../src/markdown/search/keys.ts";
import { memoryIndex } from "./memory-index.ts";

/** Returns the set of documents in which a regex must be searched; null for all documents. */
function narrowed(pattern: string): KeySet | null {
  const compiled = compileRegex(pattern);
  if (compiled.kind !== "compiled") throw new Error(compiled.why);
  const set = documentsWithRequired(compiled.regex.required);
  return set.kind === "any" ? null : set;
}

describe("what every match of a regex contains", () => {
  test.each([
    ["abcd", "abcd"],
    ["abc(xyz)?", "abc"],
    ["abcd*e", "abc"],
    ["a{,5}", "a{,5}"],
    ["\\.md\\b", ".md"],
    ["[abc]def", "def"],
    ["\\p{Greek}abc", "abc"],
    ["(?i)ABC", "abc"],
    ["(?P<name>abc)", "abc"],
    ["abc(?i)def", "abc"],
    ["\\Qabc\\E", "abc"],
    ['a"b', 'a"b'],
    ["^#.*zip$", "zip"],
  ])("is, for %s, the text %s", (pattern, text) => {
    expect(narrowed(pattern)).toEqual(documentsWithLiteral(text));
  });

  test("is one of several texts where each alternative has one", () => {
    const of = ["abc", "xyz"].map(documentsWithLiteral);
    expect(narrowed("(abc|xyz)+")).toEqual({ kind: "one", of });
  });

  test.each(["ab", "abc|x", "abc?d", "abc{0,3}", "(?i)ÄBC", "(?i)\\x{e4}bc", "(abc)(?i)?"])("none: %s", (pattern) => {
    expect(narrowed(pattern)).toBeNull();
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
