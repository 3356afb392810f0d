/**
 * Configures the Markdown parser `@lezer/markdown` to find links. Leaves out emphasis, entities and
 * line breaks, because they do not decide which characters are a link. Only this file uses the
 * parser.
 *
 * Decides which brackets of a paragraph are links, in time linear in the length of the paragraph.
 * For two reasons, the parser's own rules for brackets are not used. The parser reads every `[a]`
 * as a reference, and so misses the link in `[the [old] plan](plan.md)`. The parser also compares
 * each bracket with all earlier ones, which takes quadratic time.
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
import { type LinkResource, normaliseLabel, readLabel, readResource, type UnclosedMarks } from "./destination.ts";
import { readBracketedWords, readWikiLink, type WikiLink } from "./wiki.ts";

/**
 * A link or image whose destination follows its brackets, as in `[text](destination)`, or a wiki
 * link.
 */
type InlineLink = LinkResource & {
  readonly kind: "link" | "image" | "wiki";
  readonly from: number;
  readonly wiki?: WikiLink;
};

type OpenBracket = { readonly offset: number; readonly image: boolean };

type ParagraphBrackets = {
  readonly openers: OpenBracket[];
  /**
   * Number of open brackets that cannot begin a link any more: a link has ended after these
   * brackets. Markdown allows no link inside another link.
   */
  usableFrom: number;
  readonly unclosed: UnclosedMarks;
};

export type ParseOptions = {
  /** Normalised labels that the document defines. Labels of footnotes begin with `^`. */
  readonly definedLabels: ReadonlySet<string>;
  readonly countsWiki: boolean;
};

/** `onLink` receives each link, with offsets in the whole document. */
type BracketContext = ParseOptions & { readonly onLink: (link: InlineLink) => void };

/**
 * Reads a bracket. Returns the offset at which the parser continues; -1 if the character at
 * `offset` is no bracket.
 */
function readBracket(
  brackets: ParagraphBrackets,
  cx: InlineContext,
  next: number,
  offset: number,
  context: BracketContext,
): number {
  const wikiLinkEnd =
    context.countsWiki && brackets.openers.length === 0 ? readLocalWikiLink(cx, next, offset, context) : null;
  if (wikiLinkEnd !== null) return wikiLinkEnd;
  if (next === EXCLAMATION_MARK && cx.char(offset + 1) === OPEN_BRACKET) {
    brackets.openers.push({ offset, image: true });
    return offset + 2;
  }
  if (next === OPEN_BRACKET) {
    brackets.openers.push({ offset, image: false });
    return offset + 1;
  }
  return next === CLOSE_BRACKET ? closeBracket(brackets, cx, offset, context) : -1;
}

/**
 * Reads a wiki link in the local form, such as `[[Name]]`. The caller excludes wiki links inside
 * other brackets. In the form of the service, such a wiki link would be a Markdown link, so the
 * outer brackets could not be a link.
 * @returns the offset after the wiki link; null if no wiki link begins at `offset`
 */
function readLocalWikiLink(
  cx: InlineContext,
  next: number,
  offset: number,
  { definedLabels, onLink }: BracketContext,
): number | null {
  const from = next === EXCLAMATION_MARK ? offset + 1 : next === OPEN_BRACKET ? offset : -1;
  const wikiLink = from === -1 ? null : readWikiLink(cx.text, from - cx.offset);
  if (wikiLink === null) return null;
  const label = cx.slice(from + 2, wikiLink.to + cx.offset - 2);
  if (definedLabels.has(normaliseLabel(label)) || definedLabels.has(normaliseLabel(wikiLink.text))) return null;
  const span = { from, to: wikiLink.to + cx.offset };
  const wiki = { ...wikiLink, ...span };
  onLink({ kind: "wiki", from, destination: span, angle: false, title: null, end: span.to, wiki });
  return span.to;
}

function readServiceWikiLink(
  cx: InlineContext,
  opener: OpenBracket,
  close: number,
  resource: LinkResource,
): { wiki?: WikiLink } {
  const { destination, title, angle, end } = resource;
  if (destination === null || title !== null || angle) return {};
  if (destination.from !== close + 2 || destination.to !== end - 1) return {};
  const from = opener.image ? opener.offset + 1 : opener.offset;
  const text = readBracketedWords(cx.slice(from + 1, close));
  return text === null ? {} : { wiki: { from, to: end, name: null, heading: "", text, inTable: false } };
}

function closeBracket(brackets: ParagraphBrackets, cx: InlineContext, offset: number, context: BracketContext): number {
  const { definedLabels, onLink } = context;
  const { openers, unclosed } = brackets;
  const opener = openers.pop();
  if (opener === undefined) return offset + 1;
  const isUnusable = !opener.image && openers.length < brackets.usableFrom;
  brackets.usableFrom = Math.min(brackets.usableFrom, openers.length);
  if (isUnusable) return offset + 1;
  const label = definedLabels.size === 0 ? null : readLabelWithin(cx, opener, offset);
  if (label?.startsWith("^") && definedLabels.has(label)) return offset + 1;
  const resource = readResourceAt(cx, offset + 1, unclosed);
  if (resource !== null) {
    const wiki = context.countsWiki && openers.length === 0 ? readServiceWikiLink(cx, opener, offset, resource) : {};
    onLink({ ...resource, kind: opener.image ? "image" : "link", from: opener.offset, ...wiki });
  }
  const linkEnd = resource?.end ?? findReferenceEnd(cx, offset, label, definedLabels);
  if (linkEnd === -1) return offset + 1;
  if (!opener.image) brackets.usableFrom = openers.length;
  return linkEnd;
}

/**
 * Reads the `(destination "title")` that begins at `at`; returns null if nothing of this form
 * begins there. Offsets of the result are in the whole document.
 */
function readResourceAt(cx: InlineContext, at: number, unclosed: UnclosedMarks): LinkResource | null {
  if (cx.char(at) !== OPEN_PARENTHESIS) return null;
  const { offset } = cx;
  const resource = readResource(cx.text, at - offset, unclosed);
  if (resource === null) return null;
  const shiftSpan = (span: LinkResource["title"]) => span && { from: span.from + offset, to: span.to + offset };
  return {
    ...resource,
    destination: shiftSpan(resource.destination),
    title: shiftSpan(resource.title),
    end: resource.end + offset,
  };
}

/**
 * Returns the offset after a reference, such as `[text][label]` or `[label]`; -1 if the document
 * does not define the label of the reference.
 * @param close offset of the bracket that closes the text
 * @param label the text as a label; null if the text cannot be a label
 */
function findReferenceEnd(
  cx: InlineContext,
  close: number,
  label: string | null,
  definedLabels: ReadonlySet<string>,
): number {
  if (definedLabels.size === 0) return -1;
  const fullLabel = readLabel(cx.text, close + 1 - cx.offset);
  if (fullLabel !== null && fullLabel.label !== "")
    return definedLabels.has(fullLabel.label) ? fullLabel.end + cx.offset : -1;
  if (label === null || !definedLabels.has(label)) return -1;
  return cx.slice(close + 1, close + 3) === "[]" ? close + 3 : close + 1;
}

function readLabelWithin(cx: InlineContext, opener: OpenBracket, close: number): string | null {
  const from = opener.offset + (opener.image ? 2 : 1);
  if (close - from > MAX_LABEL_LENGTH) return null;
  const labelMatch = readLabel(cx.text, from - 1 - cx.offset);
  return labelMatch?.end === close + 1 - cx.offset ? normaliseLabel(labelMatch.label) : null;
}

/** LIMIT: number of characters in a label. CommonMark allows no more. */
const MAX_LABEL_LENGTH = 999;

const EXCLAMATION_MARK = 0x21;
const OPEN_PARENTHESIS = 0x28;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Options and results of one parse. The parser passes no extra arguments to the functions of this
 * file. So these functions read their options from the variable `currentParse`.
 */
type Parse = ParseOptions & {
  /**
   * Links by the offset of their destination. The parser may drop some of these links later; only
   * links with a node in the parser's tree count.
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

/** Null until the first document is parsed, because many commands parse no document. */
let cachedParser: MarkdownParser | null = null;

function readLink(cx: InlineContext, next: number, offset: number): number {
  const { definedLabels, countsWiki, links } = currentParse!;
  const onLink = (link: InlineLink) => {
    if (link.destination === null) return;
    const { from, to } = link.destination;
    links.set(from, link);
    // The syntax tree drops nodes of length zero, so such nodes are not added.
    if (to > from) cx.addElement(cx.elt("Destination", from, to));
  };
  return readBracket(bracketsOf(cx), cx, next, offset, { definedLabels, countsWiki, onLink });
}

function bracketsOf(cx: InlineContext): ParagraphBrackets {
  const { paragraphs } = currentParse!;
  let brackets = paragraphs.get(cx);
  if (brackets === undefined) {
    brackets = { openers: [], usableFrom: 0, unclosed: new Set() };
    paragraphs.set(cx, brackets);
  }
  return brackets;
}

/**
 * Returns the offset after a `<` whose tag or comment never ends. For each such `<`, the parser
 * would search the rest of the document, which takes quadratic time. Returns -1 if the parser can
 * read the `<` itself.
 */
function skipUnclosed(cx: InlineContext, next: number, offset: number): number {
  if (next !== LESS_THAN) return -1;
  const closer = TAG_CLOSERS.find(([opener]) => cx.slice(offset + 1, offset + 1 + opener.length) === opener)![1];
  const { unclosed } = bracketsOf(cx);
  if (unclosed.has(closer)) return offset + 1;
  if (cx.text.includes(closer, offset - cx.offset)) return -1;
  unclosed.add(closer);
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
  const lineLimit: LeafBlockParser = {
    finish: () => false,
    nextLine: () => {
      // The parser for definitions is the next element of this list. After the removal of this
      // parser, the lines are ordinary text.
      if (++lines === MAX_DEFINITION_LINES) leaf.parsers.splice(leaf.parsers.indexOf(lineLimit) + 1, 1);
      return false;
    },
  };
  return lineLimit;
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

/** Returns true if a footnote continues in a line: the line is empty or indented. */
function continuesBlock(_cx: BlockContext, line: Line, value: number): boolean {
  if (line.next === END_OF_LINE) return true;
  if (line.indent < line.baseIndent + value) return false;
  line.moveBaseColumn(line.baseIndent + value);
  return true;
}

const FOOTNOTE_INDENT = 4;
const END_OF_LINE = -1;
const LESS_THAN = 0x3c;
