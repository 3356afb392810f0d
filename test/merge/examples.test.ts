import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { fc, runs, seed } from "../property.ts";
import { checkRowsBothWays } from "./rows.ts";

describe("two insertions at one place that have a line in common", () => {
  checkRowsBothWays([
    [
      "the author under two entries of a change log",
      "*   Old.\n\n    *Ann*\n",
      "*   Mine here.\n\n    *Sean*\n\n*   Old.\n\n    *Ann*\n",
      "*   Their one.\n\n    *Sean*\n\n*   Old.\n\n    *Ann*\n",
      "*   Mine here.\n\n    *Sean*\n\n*   Their one.\n\n    *Sean*\n\n*   Old.\n\n    *Ann*\n",
    ],
    [
      "first items under a heading stand as close as the sides wrote them",
      "# 2026-01-01\n",
      "# 2026-01-01\n\n- 09:00 got up\n",
      "# 2026-01-01\n\n- 08:00 slept\n",
      "# 2026-01-01\n\n- 08:00 slept\n- 09:00 got up\n",
    ],
    [
      "entries that blank lines part stay parted",
      "- a\n\n- b\n",
      "- a\n\n- b\n\n- mine\n",
      "- a\n\n- b\n\n- other\n",
      "- a\n\n- b\n\n- other\n\n- mine\n",
    ],
  ]);

  it("is whole on both sides, wherever lines are alike", () => {
    const lines = fc.array(fc.constantFrom("- x\n", "- y\n", "  - done\n", "  due: friday\n"), {
      minLength: 1,
      maxLength: 4,
    });
    let clean = 0;
    fc.assert(
      fc.property(lines, lines, fc.boolean(), (mine, theirs, goesOn) => {
        const [head, tail] = ["# T\n\n- first\n", goesOn ? "- last\n" : ""];
        const [l, r] = [`- mine\n${mine.join("")}`, `- other\n${theirs.join("")}`];
        const merged = mergeText(head + tail, head + l + tail, head + r + tail);
        if (merged.kind === "conflict") return;
        clean++;
        expect([head + r + l + tail, head + l + r + tail]).toContain(merged.text);
      }),
      { seed, numRuns: runs(500) },
    );
    expect(clean).toBeGreaterThan(100);
  });
});

describe("small changes with common words", () => {
  checkRowsBothWays([
    [
      "an article changed here, and used at the other end",
      "Buy a cat\n\nfoo\n\nbar\n",
      "Buy the cat\n\nfoo\n\nbar\n",
      "Buy a cat\n\nfoo\n\nbar\n\nThe end of a story\n",
      "Buy the cat\n\nfoo\n\nbar\n\nThe end of a story\n",
    ],
  ]);
});

describe("a wrap of one side, and one of the other side's own", () => {
  const WRAPS = [
    ["```", "```"],
    [":::tip", ":::"],
    ["<details>", "</details>"],
    ["<div>", "</div>"],
  ] as const;
  checkRowsBothWays(
    WRAPS.flatMap(([open, close]) =>
      ["\n", "\n\n"].flatMap((gap) => {
        const [one, own] = ["one", "new"].map((text) => open + gap + text + gap + close) as [string, string];
        const name = `${open}${gap === "\n" ? "" : " and blank lines"}`;
        const base = "a\n\none\n\nb\n";
        const mine = `a\n\n${one}\n\nb\n`;
        return [
          [`below: ${name}`, base, mine, `a\n\none\n\nb\n\n${own}\n`, `a\n\n${one}\n\nb\n\n${own}\n`],
          [`above: ${name}`, base, mine, `${own}\n\na\n\none\n\nb\n`, `${own}\n\na\n\n${one}\n\nb\n`],
        ];
      }),
    ),
  );
  checkRowsBothWays(
    WRAPS.map(([open, close]) => [
      `right beside: ${open}`,
      "a\n\none\n\nb\n",
      `a\n\n${open}\none\n${close}\n\nb\n`,
      `a\n\none\n\n${open}\nnew\n${close}\n\nb\n`,
      `a\n\n${open}\none\n${close}\n\n${open}\nnew\n${close}\n\nb\n`,
    ]),
  );
});

describe("front matter that would not parse", () => {
  checkRowsBothWays([
    [
      "one new key at two places",
      "---\na: 1\nc: 1\nd: 1\n---\nx\n",
      "---\nb: 2\na: 1\nc: 1\nd: 1\n---\nx\n",
      "---\na: 1\nc: 1\nd: 1\nb: 3\n---\nx\n",
    ],
    ["a rule on top, and front matter of the other side", "a\n", "---\ntitle: x\n---\na\n", "---\n\na\n"],
  ]);
});

describe("names that a result would give twice", () => {
  const page = "# N\n\ntext\n\n## RELATED LINKS\n\n[a](a.md)\n";

  checkRowsBothWays([
    ["a heading's id that both sides changed", "## T {#t}\n\na\n", "## T {#a}\n\na\n", "## T {#t} {#A}\n\na\n"],
    [
      "a section that both sides wrote once more",
      page,
      `${page}\n## RELATED LINKS\n\n[b](b.md)\n`,
      `${page}\n## RELATED LINKS\n\n[c](c.md)\n`,
    ],
    [
      "a section that both sides wrote at different places",
      "# N\n\ntext\n\n## Other\n\nmore\n",
      "# N\n\n## Links\n\n[b](b.md)\n\ntext\n\n## Other\n\nmore\n",
      "# N\n\ntext\n\n## Other\n\nmore\n\n## Links\n\n[c](c.md)\n",
    ],
    [
      "sections of one name, each in a section of its own",
      "# N\n\n## One\n\na\n\n## Two\n\nb\n",
      "# N\n\n## One\n\na\n\n### Links\n\n[b](b.md)\n\n## Two\n\nb\n",
      "# N\n\n## One\n\na\n\n## Two\n\nb\n\n### Links\n\n[c](c.md)\n",
      "# N\n\n## One\n\na\n\n### Links\n\n[b](b.md)\n\n## Two\n\nb\n\n### Links\n\n[c](c.md)\n",
    ],
  ]);
});

const BASE = "a\n\nb\n\nc\n\nd\n\n[^1]: one\n";

describe("a number that both sides gave is a conflict", () => {
  checkRowsBothWays([
    [
      "to a footnote",
      BASE,
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc[^2]\n\nd\n\n[^1]: one\n[^2]: theirs\n",
    ],
    [
      "to the target of a link",
      "a\n\nb\n\nc\n\nd\n\n[0]: zero\n",
      "[a][1]\n\nb\n\nc\n\nd\n\n[0]: zero\n[1]: http://a\n",
      "a\n\nb\n\n[c][1]\n\nd\n\n[0]: zero\n[1]: http://b\n",
    ],
    [
      "to targets far apart",
      "a\n\nb\n\nc\n\n[0]: zero\n",
      "[1]: m\n\na\n\nb\n\nc\n\n[0]: zero\n",
      "a\n\nb\n\nc\n\n[0]: zero\n[1]: t\n",
    ],
    [
      "to notes of several lines",
      "a[^1]\n\nb\n\nc\n\n[^1]: one\n",
      "a[^1] x[^2] y[^3]\n\nb\n\nc\n\n[^1]: one\n[^2]: m2\n[^3]: m3\n",
      "a[^1]\n\nb[^2]\n\nc\n\n[^1]: one\n[^2]: t2\n    more t2\n",
    ],
    ["where it is a name", "a\n\nb\n", "a[^n]\n\nb\n\n[^n]: mine\n", "a\n\nb[^n]\n\n[^n]: theirs\n"],
    [
      "where base mentions it",
      "a[^1]\n\nb\n\nc\n",
      "a[^1]\n\nb\n\nc\n\n[^1]: mine\n",
      "a[^1]\n\nb\n\nc[^1]\n\n[^1]: theirs\n",
    ],
  ]);
});

describe("a number that one side gave", () => {
  checkRowsBothWays([
    [
      "merges with words of the other side",
      BASE,
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc more\n\nd\n\n[^1]: one\n",
      "a[^2]\n\nb\n\nc more\n\nd\n\n[^1]: one\n[^2]: mine\n",
    ],
  ]);
});
