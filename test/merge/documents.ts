import { fc } from "../property.ts";

const word = fc.constantFrom(
  "alpha",
  "beta",
  "gamma",
  "the",
  "of",
  "文",
  "字",
  "`code`",
  "[link](a.md)",
  "1.2.3",
  "**bold**",
);
const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `${words.join(" ")}.`);
const line = fc.oneof(
  { weight: 4, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 3 }).map((all) => all.join(" ")) },
  { weight: 2, arbitrary: sentence.map((text) => `- ${text}`) },
  { weight: 1, arbitrary: sentence.map((text) => `  - ${text}`) },
  { weight: 1, arbitrary: sentence.map((text) => `# ${text}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([one, other]) => `| ${one} | ${other} |`) },
  { weight: 3, arbitrary: fc.constantFrom("", "```", "---", "title: one", "tags:", "> quote", "[ref]: http://a.b/c") },
);

type Change =
  | { readonly kind: "insert"; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: "replace"; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: "remove"; readonly at: number; readonly count: number }
  | { readonly kind: "word"; readonly at: number; readonly place: number; readonly word: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("insert" as const),
    at: fc.nat(30),
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant("replace" as const),
    at: fc.nat(30),
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat(30), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("word" as const), at: fc.nat(30), place: fc.nat(12), word }),
);

function apply(lines: readonly string[], changes: readonly Change[]): string[] {
  const result = [...lines];
  for (const one of changes) {
    const at = result.length === 0 ? 0 : one.at % (result.length + 1);
    if (one.kind === "insert") result.splice(at, 0, ...one.lines);
    else if (one.kind === "replace") result.splice(at, 1, ...one.lines);
    else if (one.kind === "remove") result.splice(at, one.count);
    else if (at < result.length) {
      const words = (result[at] ?? "").split(" ");
      words.splice(one.place % (words.length + 1), one.place % 2, one.word);
      result[at] = words.join(" ");
    }
  }
  return result;
}

const applyStyle = fc.record({
  feed: fc.constantFrom("\n", "\n", "\n", "\r\n"),
  last: fc.constantFrom(true, true, false),
  mark: fc.constantFrom(false, false, false, true),
});

const write = (all: readonly string[], { feed, last, mark }: { feed: string; last: boolean; mark: boolean }): string =>
  (mark ? "\uFEFF" : "") + all.join(feed) + (last && all.length > 0 ? feed : "");

/**
 * Draws base, local and remote version of one document: lines that resemble Markdown. Each side has
 * some edits, and perhaps another style.
 */
export const threeTexts: fc.Arbitrary<[string, string, string]> = fc
  .tuple(
    fc.array(line, { maxLength: 14 }),
    fc.array(change, { maxLength: 4 }),
    fc.array(change, { maxLength: 4 }),
    applyStyle,
    fc.option(applyStyle, { freq: 4, nil: undefined }),
    fc.option(applyStyle, { freq: 4, nil: undefined }),
  )
  .map(([lines, mine, theirs, style, myStyle, theirStyle]) => {
    return [
      write(lines, style),
      write(apply(lines, mine), myStyle ?? style),
      write(apply(lines, theirs), theirStyle ?? style),
    ];
  });
