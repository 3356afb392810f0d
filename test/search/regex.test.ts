import { describe, expect, test } from "vitest";
import { type CompiledRegex, compileRegex, MAX_STEPS } from "../../src/markdown/search/engine.ts";
import { STEPS_PER_ROUND } from "../../src/markdown/search/scheduler.ts";
import { memoryIndex } from "./memory-index.ts";
import { fc, runs } from "../property.ts";
import { documentsWithLiteral, documentsWithRequired, type KeySet } from "../../src/markdown/search/keys.ts";

function compiled(pattern: string): CompiledRegex {
  const result = compileRegex(pattern);
  if (result.kind !== "compiled") throw new Error(result.why);
  return result.regex;
}

/** Returns how often a pattern matches in a line. */
function countIn(pattern: string, line: string): number {
  const next = compiled(pattern).finder(line);
  let count = 0;
  while (next?.() != null) count++;
  return count;
}

describe("the regex engine", () => {
  test.each(["(", "a**", "(?=a)", "(a)\\1", "[b-a]", "a{1001}"])("calls %s malformed", (pattern) => {
    expect(compileRegex(pattern).kind).toBe("malformed");
  });

  test.each([["(?:a?){1000}".repeat(2)], ["\\pL{1000}".repeat(2)]])("calls %s too complex", (pattern) => {
    expect(compileRegex(pattern)).toMatchObject({ kind: "too-complex", why: expect.stringContaining(`${MAX_STEPS}`) });
  });

  test("refuses a pattern by its size before it is compiled, and none for what only looks large", () => {
    for (const pattern of ["(?:a?){1000}".repeat(85), "(?:\\pL{1000})".repeat(70), "(?:(?:\\pL{30}){30})".repeat(50)])
      expect(compileRegex(pattern).kind).toBe("too-complex");
    for (const pattern of ["[{1000}]{1,3}", "\\Q{1000}{1000}\\E", "(?P<long_name>a){200}", "(?i:[[:alpha:]]{500})"])
      expect(compileRegex(pattern).kind, pattern).toBe("compiled");
  });

  test("refuses many wide ranges that ignore case before it is compiled, because each character is folded", () => {
    const last = "\u{1e942}";
    for (const range of [`B-${last}`, "B-\\x{1e942}", `\\\\x{1e942}-${last}`, `a-z--${last}`]) {
      expect([range, compileRegex(`(?i)${`[${range}]`.repeat(20)}`).kind]).toEqual([range, "too-complex"]);
      expect([range, compileRegex(`[${range}]`.repeat(20)).kind]).toEqual([range, "compiled"]);
      expect([range, compileRegex(`(?i)[${range}]`).kind]).toEqual([range, "compiled"]);
    }
    for (const range of ["a-z", "α-ω", "а-яё", "À-ɏ"])
      expect([range, compileRegex(`(?i)${`[${range}]+ `.repeat(20)}`).kind]).toEqual([range, "compiled"]);
  });

  test("is linear where backtracking is exponential", () => {
    const line = "a".repeat(4_096);
    // A search that backtracks would take longer than the age of the universe.
    for (const pattern of ["(a+)+$b", "(a|aa)+c", "(a*)*(a*)*(a*)*c", "^(([a-z])+.)+[A-Z]([a-z])+$"])
      expect(countIn(pattern, line)).toBe(0);
  });

  test("reads whole texts only if that gives the same result as their lines", async () => {
    for (const [pattern, text] of [
      ["^b$", "a\r\nb\r\nc"],
      ["\\Ab", "a\nb"],
      ["b\\z", "b\na"],
      ["(?-m:^b)", "a\nb"],
      ["^$", "a\n\nb"],
    ] as const) {
      const result = await memoryIndex({ "a.md": text }).regex(compiled(pattern));
      expect(result, pattern).toMatchObject({ kind: "found", hits: [{ matches: { length: 1 } }] });
    }
  });

  test("counts lines and matches across the parts in which a long text is looked at", async () => {
    const { stepsPerCharacter } = compiled("x[0-9]");
    const lines = Array.from({ length: 3 * Math.ceil(STEPS_PER_ROUND / stepsPerCharacter / 10) }, (_, n) =>
      n % 500 === 7 ? `x${n % 10} and x9` : "no match",
    );
    for (const end of ["\n", "\r\n", "\r"]) {
      const result = await memoryIndex({ "a.md": lines.join(end) }).regex(compiled("x[0-9]"));
      if (result.kind !== "found") return expect.fail(result.kind);
      const expected = lines.flatMap((line, n) => (line === "no match" ? [] : [n + 1])).slice(0, 50);
      expect(result.hits[0]!.matches.map(({ line }) => line)).toEqual(expected);
      expect(result.hits[0]!.matches[0]!.ranges).toEqual([
        [0, 2],
        [7, 9],
      ]);
    }
  });

  test("gives nothing when the steps run out, between documents or between parts of a line", async () => {
    const index = memoryIndex({ "a.md": "x1\nx2\nx3", "b.md": "x4" });
    const regex = compiled("x[0-9]");
    await index.regex(regex);
    const search = async (most: number) => {
      return (await index.regex(regex, { steps: most * regex.stepsPerCharacter })).kind;
    };
    // Each of the four lines costs its 2 characters, and a tenth of that for its match.
    for (const characters of [0, 1, 2, 2.1, 4, 6, 6.5, 8, 8.7]) expect(await search(characters)).toBe("too-many-steps");
    expect(await search(8.81)).toBe("found");
  });

  test("takes no more steps at a time than a round has, on a long line and with a long pattern, too", async () => {
    const pattern = "(?i)(?:a[a-z]{280}1|(?:b?c?){20}q)";
    const line = Array.from({ length: 4_096 }, (_, n) => ((n * n) % 7 < 4 ? "a" : "b")).join("");
    const index = memoryIndex({ "a.md": `${line}\n${line.slice(0, -1)}1` });
    const takes: number[] = [];
    index.goesOn = ({ steps }) => takes.push(steps - takes.reduce((sum, each) => sum + each, 0)) > 0;
    const result = await index.regex(compiled(pattern));
    expect(result).toMatchObject({ kind: "found", hits: [{ matches: [{ line: 2, ranges: [[3_814, 4_096]] }] }] });
    expect(Math.max(...takes)).toBeLessThanOrEqual(STEPS_PER_ROUND);
  });

  test("takes no more steps at a time than a round has, on many lines", async () => {
    const lines = `${"word ".repeat(700)}\n`.repeat(14);
    const index = memoryIndex(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.md`, lines])));
    const takes: number[] = [];
    index.goesOn = ({ steps }) => takes.push(steps - takes.reduce((sum, each) => sum + each, 0)) > 0;
    expect((await index.regex(compiled("w[a-z]+d [0-9]|(?:o?){20}z"))).kind).toBe("found");
    expect(takes.length).toBeGreaterThan(20);
    expect(Math.max(...takes)).toBeLessThanOrEqual(STEPS_PER_ROUND);
  });

  test("ends with its client, between two reads", async () => {
    const index = memoryIndex(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.md`, "x1\n".repeat(50)])));
    await index.regex(compiled("x[0-9]"));
    const whole = index.counted.takes;
    for (let most = 1; most < whole; most += 97) {
      index.counted.takes = 0;
      index.goesOn = ({ takes }) => takes < most;
      expect(await index.regex(compiled("x[0-9]"))).toEqual({ kind: "ended" });
      expect(index.counted.takes).toBe(most);
    }
  });

  test("finds what is not indexed yet, in the order of the documents", async () => {
    const index = memoryIndex({ "a.md": "quokka 1", "b.md": "quokka 2", "c.md": "quokka 3" });
    index.keys.remove(2);
    index.waiting = [3, 2];
    const found = async (limit: number) => {
      const result = await index.regex(compiled("quokka [0-9]"), { limit });
      return result.kind === "found" ? result.hits.map(({ found }) => found.path) : result.kind;
    };
    expect(await found(500)).toEqual(["a.md", "b.md", "c.md"]);
    expect(await found(2)).toEqual(["a.md", "b.md"]);
  });
});

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
