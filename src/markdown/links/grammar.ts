/**
 * Configures the Markdown parser `@lezer/markdown` to find links. Leaves out emphasis, entities and
 * line breaks, because they do not decide which characters are a link. Only this file and
 * `brackets.ts` use the parser.
 */

import {
  type BlockContext,
  type InlineContext,
  type LeafBlock,
  type LeafBlockParser,
  type Line,
  type MarkdownConfig,
  type MarkdownParser,
  parser,
  Table,
} from "@lezer/markdown";
import { type ParagraphBrackets, type InlineLink, createParagraphBrackets, readBracket } from "./brackets.ts";

export type ParseOptions = {
  readonly defined: ReadonlySet<string>;
  readonly countsWiki: boolean;
};

/**
 * Options and results of one parse. The parser passes no extra arguments to the functions of this
 * file. So these functions read this object from the variable `currentParse`.
 */
type Parse = ParseOptions & {
  /**
   * Links by the offset of their destination. The parser may drop some of these links later; only
   * links with a node in its tree count.
   */
  readonly links: Map<number, InlineLink>;
  readonly paragraphs: WeakMap<InlineContext, ParagraphBrackets>;
};

let currentParse: Parse | null = null;

export function parseMarkdown(
  text: string,
  known: ParseOptions,
): { tree: ReturnType<MarkdownParser["parse"]> } & Parse {
  const parse: Parse = { ...known, links: new Map(), paragraphs: new WeakMap() };
  currentParse = parse;
  try {
    cachedParser ??= parser.configure([Table, BRACKET_SYNTAX, BLOCK_SYNTAX]);
    return { ...parse, tree: cachedParser.parse(text) };
  } finally {
    currentParse = null;
  }
}

/**
 * LIMIT: depth of nested quotes and lists, because the time to read a line grows with its depth. In
 * deeper lines, links are not recognised.
 */
const MAX_DEPTH = 100;

/**
 * LIMIT: number of lines in one definition (`[label]: destination "title"`), because the parser
 * reads the whole definition again for each of its lines.
 */
const MAX_DEFINITION_LINES = 64;

const FOOTNOTE_BEGINNING = /^\[\^[^\s[\]]+\]:/;

const BRACKET_SYNTAX: MarkdownConfig = {
  defineNodes: ["Destination"],
  remove: ["Entity", "Emphasis", "HardBreak", "Image", "LinkEnd"],
  parseInline: [
    { name: "Unclosed", before: "HTMLTag", parse: skipUnclosed },
    { name: "Link", parse: readLink },
  ],
};

const BLOCK_SYNTAX: MarkdownConfig = {
  defineNodes: [
    { name: "TooDeep", block: true },
    { name: "FootnoteDefinition", block: true, composite: continuesBlock },
  ],
  parseBlock: [
    { name: "TooDeep", before: "IndentedCode", parse: skipTooDeep },
    { name: "LongDefinition", before: "LinkReference", leaf: limitDefinition },
    { name: "FootnoteDefinition", after: "Blockquote", parse: openFootnote, endLeaf: (_, line) => isFootnote(line) },
  ],
};

/** Null until the first document is parsed: many commands parse no document. */
let cachedParser: MarkdownParser | null = null;

function readLink(cx: InlineContext, next: number, offset: number): number {
  const { defined, countsWiki, links, paragraphs } = currentParse!;
  let brackets = paragraphs.get(cx);
  if (brackets === undefined) {
    brackets = createParagraphBrackets();
    paragraphs.set(cx, brackets);
  }
  const onLink = (link: InlineLink) => {
    if (link.destination === null) return;
    const { from, to } = link.destination;
    links.set(from, link);
    // The syntax tree drops nodes of length zero, so they are not added.
    if (to > from) cx.addElement(cx.elt("Destination", from, to));
  };
  return readBracket(brackets, cx, next, offset, { definedLabels: defined, countsWiki, onLink });
}

/**
 * Returns the offset after a `<` whose tag or comment never ends. The parser would search the rest
 * of the document for each such `<`, which takes quadratic time. Returns -1 if the parser can read
 * the `<` itself.
 */
function skipUnclosed(cx: InlineContext, next: number, offset: number): number {
  if (next !== LESS_THAN) return -1;
  const closer = TAG_CLOSERS.find(([opener]) => cx.slice(offset + 1, offset + 1 + opener.length) === opener)![1];
  const brackets = currentParse!.paragraphs.get(cx) ?? createParagraphBrackets();
  currentParse!.paragraphs.set(cx, brackets);
  if (brackets.unclosed.has(closer)) return offset + 1;
  if (cx.text.includes(closer, offset - cx.offset)) return -1;
  brackets.unclosed.add(closer);
  return offset + 1;
}

const TAG_CLOSERS = [
  ["!--", "-->"],
  ["?", "?>"],
  ["![CDATA[", "]]>"],
  ["", ">"],
] as const;

function skipTooDeep(cx: BlockContext, line: Line): boolean {
  if (cx.depth <= MAX_DEPTH) return false;
  const from = cx.lineStart;
  cx.addElement(cx.elt("TooDeep", from, from + line.text.length));
  cx.nextLine();
  return true;
}

function limitDefinition(_cx: BlockContext, leaf: LeafBlock): LeafBlockParser | null {
  if (!leaf.content.startsWith("[")) return null;
  let lines = 1;
  const limit: LeafBlockParser = {
    finish: () => false,
    nextLine: () => {
      // The parser for definitions is the next one in this list. Without that parser, the lines are
      // ordinary text.
      if (++lines === MAX_DEFINITION_LINES) leaf.parsers.splice(leaf.parsers.indexOf(limit) + 1, 1);
      return false;
    },
  };
  return limit;
}

function openFootnote(cx: BlockContext, line: Line): null | boolean {
  if (!isFootnote(line)) return false;
  const label = FOOTNOTE_BEGINNING.exec(line.text.slice(line.pos))![0];
  cx.startComposite("FootnoteDefinition", line.pos, FOOTNOTE_INDENT);
  line.moveBase(line.skipSpace(line.pos + label.length));
  return null;
}

function isFootnote(line: Line): boolean {
  if (line.next !== OPEN_BRACKET || line.indent >= line.baseIndent + FOOTNOTE_INDENT) return false;
  return FOOTNOTE_BEGINNING.test(line.text.slice(line.pos));
}

/** Returns true if a footnote continues in a line, because the line is empty or indented. */
function continuesBlock(_cx: BlockContext, line: Line, value: number): boolean {
  if (line.next === END_OF_LINE) return true;
  if (line.indent < line.baseIndent + value) return false;
  line.moveBaseColumn(line.baseIndent + value);
  return true;
}

const FOOTNOTE_INDENT = 4;
const END_OF_LINE = -1;
const LESS_THAN = 0x3c;
const OPEN_BRACKET = 0x5b;
