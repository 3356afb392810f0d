import { parse, postprocess, preprocess } from "micromark";
import { frontmatter } from "micromark-extension-frontmatter";
import { gfmFootnote } from "micromark-extension-gfm-footnote";
import { gfmTable } from "micromark-extension-gfm-table";
import { fc } from "../property.ts";

/** An independent Markdown parser, and documents that are hard to parse. */

const extensions = [gfmTable(), gfmFootnote(), frontmatter(["yaml", "toml"])];

/**
 * Returns the positions of link destinations that micromark finds, in order, without empty ones.
 */
export function destinationsOf(text: string): [number, number][] {
  const events = postprocess(
    parse({ extensions })
      .document()
      .write(preprocess()(text, undefined, true)),
  );
  return events
    .filter(([kind, { type }]) => kind === "enter" && DESTINATIONS.has(type))
    .map(([, { start, end }]): [number, number] => [start.offset, end.offset])
    .sort(([one], [other]) => one - other);
}

const DESTINATIONS = new Set<string>(["resourceDestinationString", "definitionDestinationString"]);

/** Pieces of a generated document: links in all positions, and text that only looks like a link. */
const PIECES = [
  ..."[]()<>!`*_|\\#&\"'^~:-+/?%".split(""),
  ..." \n\t".split(""),
  ...["a", "é", "字", "x.md", "doc_a", "../b/c.md", "ref://", "https://h/x", "\n\n", "    ", "  \n"],
  ...["[a](b.md)", "[a](<b c.md>)", '[a](b.md "t")', "![i](i.png)", "[a]: b.md\n", "\n\n[a]: <b.md> 't'\n"],
  ...[
    "[^1]",
    "\n\n[^1]: ",
    "](",
    "]: ",
    "[[a]]",
    "``",
    "\n```\n",
    "\n~~~\n",
    "<!-- ",
    " -->",
    "<b>",
    "</b>",
    "\n\n<div>\n",
  ],
  ...[
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n---\n",
    "\n|a|b|\n|-|-|\n|",
    "&amp;",
    "&#35;",
    "%20",
    "\\]",
    "\\(",
    "<a@b.c>",
  ],
];

export const markdown = (size: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: size }).map((pieces) => pieces.join(""));
