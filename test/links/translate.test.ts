import { describe, expect, test } from "vitest";
import { findLinks } from "../../src/markdown/links/find.ts";
import { readLinkTargets } from "../../src/markdown/links/link-targets.ts";
import { respell, toDisk, toService } from "../../src/markdown/links/translate.ts";
import { moved, placeIn, worldOf } from "./world.ts";

const WORLD = worldOf([
  "plans/index.md",
  "plans/old/a.md",
  "b c.md",
  "été.md",
  "x(1).md",
  "doc_1/n.md",
  "a&b.md",
  "10:30 at.md",
]);
const INDEX = placeIn(WORLD, "plans/index.md");
const idOf = (path: string) => WORLD.get(path)!;

/** Local destinations in `plans/index.md` in the usual spelling, and their targets. */
const USUAL: readonly (readonly [disk: string, path: string])[] = [
  ["old/a.md", "plans/old/a.md"],
  ["index.md", "plans/index.md"],
  ["../b%20c.md", "b c.md"],
  ["<../b c.md>", "b c.md"],
  ["../été.md", "été.md"],
  ["../x%281%29.md", "x(1).md"],
  ["../doc_1/n.md", "doc_1/n.md"],
  ["../a%26b.md", "a&b.md"],
  ["../10:30%20at.md", "10:30 at.md"],
  ["old/", "plans/old"],
  ["./", "plans"],
  ["../", ""],
];

/** Other spellings by people and editors. */
const UNUSUAL: readonly (readonly [disk: string, path: string])[] = [
  ["./old/../old/a.md", "plans/old/a.md"],
  ["/plans/old/a.md", "plans/old/a.md"],
  ["old", "plans/old"],
  ["../x(1).md", "x(1).md"],
  ["../x\\(1\\).md", "x(1).md"],
  ["<../x(1).md>", "x(1).md"],
  ["../%C3%A9t%C3%A9.md", "été.md"],
  ["../e\u0301te\u0301.md", "été.md"],
  ["../a&amp;b.md", "a&b.md"],
  ["../a&#38;b.md", "a&b.md"],
  ["old/a&period;md", "plans/old/a.md"],
  ["ref://old/a.md", "plans/old/a.md"],
];

describe("a link between documents", () => {
  test.each(USUAL)("%s has the id on the service, and comes back", (disk, path) => {
    const angle = disk.startsWith("<");
    const service = angle ? `<${idOf(path)}>` : idOf(path);
    for (const around of AROUND) {
      expect(toService(around(disk), INDEX)).toBe(around(service));
      expect(toDisk(around(service), INDEX)).toBe(around(disk));
    }
  });

  test.each(UNUSUAL)("%s has the id on the service, and comes back as it was written", (disk, path) => {
    const service = `[t](${disk.startsWith("<") ? `<${idOf(path)}>` : idOf(path)})`;
    expect(toService(`[t](${disk})`, INDEX)).toBe(service);
    expect(toDisk(service, INDEX, { previous: `[t](${disk})` })).toBe(`[t](${disk})`);
  });

  test("keeps query, fragment, title and text", () => {
    const disk = `[*t* \\] ![i](old/a.md)](old/a.md?q=1#f(1) "T \\" [x](old/a.md)")`;
    const id = idOf("plans/old/a.md");
    const service = `[*t* \\] ![i](${id})](${id}?q=1#f(1) "T \\" [x](old/a.md)")`;
    expect(toService(disk, INDEX)).toBe(service);
    expect(toDisk(service, INDEX)).toBe(disk);
  });

  test("stays where it is foreign, a fragment, or an unknown id", () => {
    const text =
      "[a](https://h/old/a.md) [a](mailto:a@b.c) [a](#old) [a]() [a](<>) [a](doc_unknown) <https://h> [a](ref:x)";
    expect(toService(text, INDEX)).toBe(text);
    expect(toDisk(text, INDEX)).toBe(text);
  });

  test.each([
    "gone.md",
    "<i i.png>",
    "../../x.md",
    "/gone.md",
    "old/a.md/",
    "old%2Fa.md",
    "%zz.md",
    "?q",
    "//h/x",
    "a\\)b.md",
  ])("%s leads nowhere: inert on the service, as it was on disk", (disk) => {
    const service = disk.startsWith("<") ? disk.replace("<", "<ref://") : `ref://${disk}`;
    for (const around of AROUND) {
      expect(toService(around(disk), INDEX)).toBe(around(service));
      expect(toDisk(around(service), INDEX)).toBe(around(disk));
    }
  });

  test("is looked for where it was before, when it leads nowhere now", () => {
    const now = moved(WORLD, (path) => path.replace(/^plans\/old/, "archive"));
    const options = { before: INDEX };
    expect(toService("[a](old/a.md)", placeIn(now, "plans/index.md"), options)).toBe(`[a](${idOf("plans/old/a.md")})`);
    expect(toService("[a](old/a.md)", placeIn(now, "plans/index.md"))).toBe("[a](ref://old/a.md)");
  });

  test("on the service by an absolute path is relative on disk, and an absolute path again", () => {
    const service = "[a](/plans/old/a.md#f) [b](/elsewhere.md) [c](ref:///elsewhere.md)";
    const disk = toDisk(service, INDEX);
    expect(disk).toBe("[a](old/a.md#f) [b](/elsewhere.md) [c](/elsewhere.md)");
    expect(toService(disk, INDEX, { previous: service })).toBe(service);
  });

  test("by an absolute path keeps it, and links that are added to its target have its id", () => {
    const id = idOf("plans/old/a.md");
    expect(
      toService("[new](old/a.md#g) [a](old/a.md#f) [again](old/a.md#f)", INDEX, { previous: "[a](/plans/old/a.md#f)" }),
    ).toBe(`[new](${id}#g) [a](/plans/old/a.md#f) [again](${id}#f)`);
  });

  test("by an id keeps it, when a link to its target is added before it", () => {
    const id = idOf("plans/old/a.md");
    const previous = `[one](${id}) [two](/plans/old/a.md) [![three](/plans/old/a.md)](${id})`;
    const disk = `[new](old/a.md) ${toDisk(previous, INDEX)}`;
    expect(toService(disk, INDEX, { previous })).toBe(`[new](${id}) ${previous}`);
  });

  test("by an absolute path keeps it behind a wiki link", () => {
    const place = placeIn(WORLD, "plans/index.md", true);
    const service = `[[a]](${idOf("plans/old/a.md")}) and [a](/plans/old/a.md) and [b](/elsewhere.md)`;
    expect(toService(toDisk(service, place), place, { previous: service })).toBe(service);
  });

  test("by an absolute path without a target keeps it when words in front of it are edited", () => {
    const options = { previous: "see [b](/elsewhere.md)" };
    expect(toService("see also [b](/elsewhere.md)", INDEX, options)).toBe("see also [b](/elsewhere.md)");
  });

  test("by an absolute path leads where the workspace says", () => {
    const part = { ...INDEX, idAtAbsolute: (path: string) => INDEX.idAt(path.replace(/^part\//, "")) };
    expect(toDisk("[a](/part/plans/old/a.md)", part)).toBe("[a](old/a.md)");
  });

  test("is never an id that nothing has, nor a path that does not lead back", () => {
    const odd = { path: "a.md", idAt: () => "7", pathOf: (id: string) => (id === "doc_1" ? "b.md" : null) };
    expect(toService("[b](b.md)", odd)).toBe("[b](ref://b.md)");
    expect(toDisk("[b](doc_1)", odd)).toBe("[b](doc_1)");
    // mdmirror records that this link shows an id. Once its path leads back to the target, the link
    // is written as a path.
    expect(readLinkTargets("[b](doc_1)", odd, [odd])).toEqual([{ destination: "doc_1", at: null, to: "doc_1" }]);
    const even = { ...odd, idAt: () => "doc_1" };
    expect(readLinkTargets("[b](doc_1)", even, [even])).toEqual([]);
  });
});

test("after a move, paths lead where they led; those that still do keep their spelling", () => {
  const after = moved(WORLD, (path) => path.replace(/^plans\/old/, "archive"));
  const disk = "[a](./old/a.md#f) [f](old/) [b](./../b%20c.md) [x](gone.md) [id](doc_2) [r](ref://old/a.md)";
  const respelled =
    "[a](../archive/a.md#f) [f](../archive/) [b](./../b%20c.md) [x](gone.md) [id](doc_2) [r](ref://old/a.md)";
  expect(respell(disk, INDEX, placeIn(after, "plans/index.md"))).toBe(respelled);
});

describe("links are found", () => {
  test.each([
    [
      "in headings, quotes, lists, tables and footnotes",
      "# [a](1)\n> - [a](2)\n\n|a|[b](3)|\n|-|-|\n|[c](4)|\n\n[^n]: [a](5)\n\n    [b](6)\n",
      6,
    ],
    ["over lines, also of a quote", "> [a](\n> 1.md\n> 't'\n> )\n\n[d]:\n2.md\n'u\nv'\n", 2],
    [
      "with brackets in their text, if those are no links",
      "[the [old] plan](1.md) [a [b](2.md) c](no.md) [x ![y](3.png)](4.md)",
      4,
    ],
    ["in brackets that a definition makes links", "[a [b] c](no.md) [x][b](no.md) [b]: no.md\n\n[b]: 1.md\n", 1],
    [
      "not in code, HTML, comments and front matter",
      "---\na: [b](no)\n---\n`[a](no)` <a b='[a](no)'> <!-- [a](no) -->\n\n    [a](no)\n\n```\n[a](no)\n```\n\n<div>\n[a](no)\n</div>\n",
      0,
    ],
    [
      "behind front matter of any kind, with a byte order mark and CRLF",
      "\ufeff+++\r\n[a](no)\r\n+++\r\n[a](1.md)\r\n[b]: 2.md\r\n",
      1,
    ],
    ["behind a line that opens no front matter", "---\n[a](1.md)\n", 1],
    [
      "not where brackets or parentheses are escaped or do not match",
      "\\[a](no) [a\\](no) [a](no [a](a b) [a](a(b) [a] (no) [a](<no) [a](a 't)",
      0,
    ],
    ["not in wiki links", "[[a]] [[a|b]] ![[c]]", 0],
  ])("%s", (_where, text, count) => {
    const found = findLinks(text).map(({ from, to }) => text.slice(from, to));
    expect(found.filter((one) => !one.startsWith("no"))).toHaveLength(count);
    expect(found.filter((one) => one.startsWith("no"))).toEqual([]);
  });
});

/** Markdown around a destination. */
const AROUND: readonly ((destination: string) => string)[] = [
  (destination) => `[t](${destination})`,
  (destination) => `![t]( ${destination} 'title' )`,
  (destination) => `> [label]: ${destination}\n> "title"\n`,
  (destination) => `| a | [t](${destination}) |\n|-|-|\n| [t](${destination}) | b |\n`,
];
