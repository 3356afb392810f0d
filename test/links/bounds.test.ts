import { expect, test } from "vitest";
import { findLinks } from "../../src/markdown/links/find.ts";
import { toService } from "../../src/markdown/links/translate.ts";

/**
 * Documents that are slow to parse. With 50,000 characters (MDMIRROR_LINK_SIZE) a quadratic
 * algorithm would take seconds.
 */
const SIZE = Number(process.env["MDMIRROR_LINK_SIZE"] ?? 8_000);

const many = (piece: string, part = 1) => piece.repeat(Math.ceil((SIZE * part) / piece.length));
const two = (first: string, second: string) => many(first, 0.5) + many(second, 0.5);

const REPEATED = [
  ..."[ ![ ] > < <!-- <? <![CDATA[ <!A < \\[ \n \t > &a".split(" "),
  ...["[a](", "[a](<", "[a](\\", '[a](b "', "[a](b (", "[a](\r", "`[a](b)", "[a]: b\n", '[a]: b "\n', "[a]\n:", "]:  "],
  ...[
    "[^a]: ",
    "[^a]: b\n",
    "> ",
    "- ",
    "> - ",
    "1. ",
    "a\n-",
    "```\n",
    "~~~ a\n",
    "<a ",
    '<a b="',
    "<a@a.",
    "|a\n|-|\n",
  ],
];

const TEXTS: readonly string[] = [
  ...REPEATED.map((piece) => many(piece)),
  two("[", "]"),
  two("[", "](b)"),
  two("[", "[a](b)"),
  two("*a ", "]"),
  `[a]: b\n\n${two("[", "]")}`,
  `[a]: b\n\n${many("[a][b]")}`,
  `[a]: b\n\n${many(`[${"x".repeat(990)}][`)}`,
  `[a]: b "\n${many("x\n")}`,
  `[a](${many("(")}`,
  `${many("[a](b '")}"`,
  `a${many("<!--")}`,
  `${many("|a", 0.5)}\n${many("|-", 0.5)}`,
  `a|b\n${many("|- ")}x`,
  `> a\n${many("b\n")}`,
  `${many("> - ", 0.5)}\n${many("> - ", 0.5)}`,
  Array.from({ length: Math.sqrt(SIZE) }, (_, at) => `${" ".repeat(2 * at)}- a`).join("\n"),
  Array.from({ length: Math.sqrt(SIZE) }, (_, at) => `${"`".repeat(at)} `).join(""),
];

const NOWHERE = { path: "a.md", idAt: () => null, pathOf: () => null };

test("any text is read in a time that grows with its length", () => {
  for (const text of TEXTS) {
    const inert = toService(`${text}\n\n[last](x.md)`, NOWHERE);
    expect(toService(inert, NOWHERE)).toBe(inert);
  }
});

test("text deeper than a hundred quotes, or lists and items, has no links", () => {
  for (const [container, depth] of [
    ["> ", 99],
    ["- ", 49],
  ] as const) {
    expect(findLinks(`${container.repeat(depth)}[a](x.md)`)).toHaveLength(1);
    expect(findLinks(`${container.repeat(110)}[a](x.md)\n\n[b](y.md)`)).toHaveLength(1);
  }
});
