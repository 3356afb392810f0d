import { describe, expect, test } from "vitest";
import { RE2JS } from "re2js";
import { readPathFields, readTitles } from "../../src/markdown/search/keys.ts";
import { parseQuery } from "../../src/markdown/search/match-document.ts";
import { foldLine, foldText, foldWords, splitIntoPairs, splitIntoUnits } from "../../src/markdown/search/words.ts";
import { createSearchString, createSnippets } from "../../src/markdown/search/snippets.ts";
import { compileRegex } from "../../src/markdown/search/engine.ts";
import { type RegexProgram, scanLine } from "../../src/markdown/search/scan-line.ts";
import { SearchScheduler, STEPS_PER_ROUND } from "../../src/markdown/search/scheduler.ts";
import { fc, runs } from "../property.ts";

describe("words", () => {
  test.each([
    ["git-commit_tree v2", ["git", "commit", "tree", "v2"]],
    ["don't", ["don", "t"]],
    ["压缩abc文件", ["压缩", "abc", "文件"]],
    ["सूचना", ["सूचना"]],
  ])("%s", (text, words) => {
    expect(splitIntoUnits(text).map((unit) => unit.text)).toEqual(words);
  });

  test("a run has each of its pairs once", () => {
    expect(splitIntoPairs("解压缩")).toEqual(["解压", "压缩"]);
    expect(splitIntoPairs("漢漢漢漢")).toEqual(["漢漢"]);
    expect(splitIntoPairs("缩")).toEqual(["缩"]);
    expect(splitIntoPairs("🎉🎉")).toEqual(["🎉🎉"]);
  });

  test("headings are distinguished from code, lists and front matter", () => {
    const text = "---\ntitle: Front\ntags: x\n---\n# One\n\nTwo\n===\n\n```sh\n# comment\n```\n- item\n---\n";
    const { name, folders } = readPathFields("docs/deep/my-note.md");
    expect([name, folders, readTitles(text)]).toEqual(["my-note", "docs/deep", "title: Front\nOne\nTwo"]);
  });
});

function textsOf(units: readonly { readonly text: string }[]): string[] {
  return units.map(({ text }) => text);
}

describe("a query", () => {
  test("has each of its words, and each pair of its runs, once", () => {
    const { units, pieces, phrase } = parseQuery("to be or not to be 漢漢漢字");
    expect(textsOf(phrase)).toEqual(["to", "be", "or", "not", "to", "be", "漢漢漢字"]);
    expect(textsOf(units)).toEqual(["to", "be", "or", "not", "漢漢漢字"]);
    expect(textsOf(pieces)).toEqual(["to", "be", "or", "not", "漢漢", "漢字"]);
  });

  test("has 24 pieces at most, of its beginning", () => {
    const words = Array.from({ length: 100 }, (_, n) => `w${n}`);
    expect(textsOf(parseQuery(words.join(" ")).pieces)).toEqual(words.slice(0, 24));
    const run = Array.from({ length: 100 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
    expect(textsOf(parseQuery(run).units)).toEqual([run.slice(0, 25)]);
    expect(parseQuery(run).pieces).toHaveLength(24);
    expect(textsOf(parseQuery(`${words.slice(0, 22).join(" ")} ${run}`).units).at(-1)).toBe(run.slice(0, 3));
  });

  test.each([
    ["--no-edit", "--no-edit", true],
    ["std::vec", "std::vec", true],
    ["Plain Words", "plain words", false],
    ["c+", "", false],
  ])("%s is looked for as it is spelled: %s", (text, literal, isSpelled) => {
    expect(parseQuery(text)).toMatchObject({ literal, isSpelled });
  });
});

describe("folding", () => {
  test.each([
    ["ÉTENDRE", "etendre"],
    ["ﬁle", "file"],
    ["ＡＢＣ１", "abc1"],
    ["Straße", "straße"],
    ["ΣΟΦΟΣ σοφος", "σοφοσ σοφοσ"],
    ["İstanbul", "istanbul"],
    ["ضَغَطَ", "ضغط"],
    ["שָׁלוֹם", "שלום"],
    ["ё Й", "е и"],
    ["\u212a\u017f", "ks"],
  ])("takes %s for %s", (text, folded) => {
    expect(foldWords(text)).toBe(folded);
  });

  test("keeps the marks that distinguish words", () => {
    expect(foldWords("が")).toBe("が");
    expect(foldWords("か\u3099")).toBe("が");
    expect(foldWords("की")).toBe("की");
    expect(foldWords("ที่")).toBe("ที่");
  });

  // Combining marks are left out: Unicode may reorder several marks on one letter (a documented
  // limit).
  const letters = fc.string({
    unit: fc.constantFrom(..."aZéÉßςΣσİıﬁＡ解压缩がパか한국ضغطיםхЙ🎉 \n\u0301\u3099"),
    maxLength: 30,
  });
  test("what a text contains, its folded form contains folded", () => {
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre((before + part + after).isWellFormed());
        expect(foldText(before + part + after)).toContain(foldText(part));
      }),
    );
  });

  test("a line folds as its text does, and every folded unit leads back to a character of it", () => {
    fc.assert(
      fc.property(letters, (line) => {
        const foldedLine = foldLine(line);
        const { folded } = foldedLine;
        expect(folded).toBe(foldText(line));
        const count = [...line].length;
        for (let i = 0; i < folded.length; i++) {
          const [start, end] = foldedLine.toCharacters(i, i + 1);
          expect(0 <= start && start < end && end <= count).toBe(true);
        }
      }),
    );
  });
});

describe("snippets", () => {
  test("show the lines with most of the words, at most three, in order", () => {
    const text = "one\nx\none two\nx\none two three\none three\n";
    const needles = ["one", "two", "three"].map((word) => createSearchString(word, false));
    expect(createSnippets(text, needles).map(({ line }) => line)).toEqual([3, 5, 6]);
  });

  test("cut a long line around its first match, and keep every range inside the text", () => {
    fc.assert(
      fc.property(fc.nat(900), fc.nat(900), fc.constantFrom("a", "é", "🎉", "解"), (before, after, filler) => {
        const [snippet] = createSnippets(`${filler.repeat(before)} needle ${filler.repeat(after)}`, [
          createSearchString("needle", false),
        ]);
        const characters = [...snippet!.text];
        expect(characters.length).toBeLessThanOrEqual(242);
        expect(snippet!.ranges.map(([start, end]) => characters.slice(start, end).join(""))).toEqual(["needle"]);
      }),
    );
  });

  test("have no more ranges than what they show has characters, however often something matches", () => {
    for (const character of ["漢", "🎉", "a"]) {
      const [snippet] = createSnippets(`${character} `.repeat(25_600), [createSearchString(character, false)]);
      expect([...snippet!.text].length).toBeLessThanOrEqual(242);
      expect(snippet!.ranges).toHaveLength(120);
    }
  });

  test("of a short word show places where it is a whole word", () => {
    expect(createSnippets("gone\nto go, gone\n", [createSearchString("go", true)])).toEqual([
      { line: 2, text: "to go, gone", ranges: [[3, 5]] },
    ]);
  });
});

type Ranges = (readonly [number, number])[];
const MOST = { ranges: 100, steps: Number.POSITIVE_INFINITY };

/**
 * Searches a line for a pattern. `parts` are the characters that were compared before each yield.
 */
function scan(pattern: string, line: string, most = MOST): { ranges: Ranges; parts: number[] } {
  const { start, inst }: RegexProgram = RE2JS.compile(pattern).re2().prog;
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

/**
 * Runs searches that each request a number of permits, of a part of a round each. Returns the
 * searches that got a permit, round by round.
 */
async function run(searches: readonly number[], part: number): Promise<number[][]> {
  const begins: (() => void)[] = [];
  const turns = new SearchScheduler((begin) => void begins.push(begin));
  const rounds: number[][] = [[]];
  const all = searches.map(async (takes, search) => {
    const pace = turns.permitFor(() => false);
    for (let n = 0; n < takes; n++) {
      await pace.take(STEPS_PER_ROUND / part);
      rounds.at(-1)!.push(search);
    }
  });
  for (;;) {
    for (let n = 0; n < 20; n++) await Promise.resolve();
    const begin = begins.shift();
    if (begin === undefined) break;
    expect(begins).toEqual([]);
    rounds.push([]);
    begin();
  }
  await Promise.all(all);
  return rounds;
}

describe("searches that share a thread", () => {
  test("take no more steps in a round than it has, however many there are", async () => {
    const rounds = await run([4, 4, 4, 4, 4], 4);
    expect(Math.max(...rounds.map((round) => round.length))).toBe(4);
    expect(rounds.flat()).toHaveLength(20);
  });

  test("end one after the other while they are short", async () => {
    const rounds = await run([3, 3, 3, 3], 4);
    const ends = [0, 1, 2, 3].map((search) => rounds.findLastIndex((round) => round.includes(search)));
    expect(ends).toEqual(ends.toSorted());
    expect(new Set(ends).size).toBe(4);
  });

  test("wait for no long one: that takes the rounds that are left, with others of its kind in turn", async () => {
    const rounds = await run([40, 40, 3], 4);
    const last = (search: number) => rounds.findLastIndex((round) => round.includes(search));
    expect(last(2)).toBeLessThan(4);
    expect(Math.abs(last(0) - last(1))).toBeLessThan(2);
  });

  test("wait for nobody while there is capacity, and take what is larger than a round by itself", async () => {
    const begins: (() => void)[] = [];
    const pace = new SearchScheduler((begin) => void begins.push(begin)).permitFor(() => false);
    expect(await pace.take(2 * STEPS_PER_ROUND)).toBe(true);
    expect(begins).toHaveLength(0);
    let isTaken = false;
    const next = pace.take(1).then(() => (isTaken = true));
    await Promise.resolve();
    expect([isTaken, begins.length]).toEqual([false, 1]);
    begins[0]!();
    await next;
  });

  test("end as soon as nobody waits for the answer", async () => {
    let isGone = false;
    const pace = new SearchScheduler(() => undefined).permitFor(() => isGone);
    expect(await pace.take(1)).toBe(true);
    isGone = true;
    expect(await pace.take(1)).toBe(false);
  });
});
