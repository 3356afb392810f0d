/**
 * Decides which brackets of a paragraph are links, in time linear in the length of the paragraph.
 * The rules of the parser are not used, for two reasons. The parser reads every `[a]` as a
 * reference, and so misses the link in `[the [old] plan](plan.md)`. Also, the parser compares each
 * bracket with all earlier ones, which takes quadratic time.
 */

import type { InlineContext } from "@lezer/markdown";
import { normaliseLabel, readLabel, readResource, type LinkResource, type UnclosedMarks } from "./resource.ts";
import { readWikiLink, type WikiLink, readBracketedWords } from "./wiki.ts";

/**
 * A link or image whose destination follows its brackets, as in `[text](destination)`, or a wiki
 * link.
 */
export type InlineLink = LinkResource & {
  readonly kind: "link" | "image" | "wiki";
  readonly from: number;
  readonly wiki?: WikiLink;
};

type OpenBracket = { readonly offset: number; readonly image: boolean };

export type ParagraphBrackets = {
  readonly openers: OpenBracket[];
  /**
   * Number of open brackets that cannot begin a link any more. A link has ended after these
   * brackets, and Markdown allows no link inside another.
   */
  usableFrom: number;
  readonly unclosed: UnclosedMarks;
};

export function createParagraphBrackets(): ParagraphBrackets {
  return { openers: [], usableFrom: 0, unclosed: new Set() };
}

type BracketContext = {
  /** Normalised labels that the document defines. Labels of footnotes begin with `^`. */
  readonly definedLabels: ReadonlySet<string>;
  readonly countsWiki: boolean;
  /** Receives each link, with offsets in the whole document. */
  readonly onLink: (link: InlineLink) => void;
};

/**
 * Returns the offset at which the parser continues; -1 if the character at `offset` is no bracket.
 */
export function readBracket(
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
 * other brackets. On the service, they would be Markdown links, so the outer brackets could not be
 * a link.
 * @returns the offset after the wiki link; null if none begins at `offset`
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
  const isDead = !opener.image && openers.length < brackets.usableFrom;
  brackets.usableFrom = Math.min(brackets.usableFrom, openers.length);
  if (isDead) return offset + 1;
  const label = definedLabels.size === 0 ? null : readLabelWithin(cx, opener, offset);
  if (label?.startsWith("^") && definedLabels.has(label)) return offset + 1;
  const resource = readResourceAt(cx, offset + 1, unclosed);
  if (resource !== null) {
    const wiki = context.countsWiki && openers.length === 0 ? readServiceWikiLink(cx, opener, offset, resource) : {};
    onLink({ ...resource, kind: opener.image ? "image" : "link", from: opener.offset, ...wiki });
  }
  const end = resource?.end ?? findReferenceEnd(cx, offset, label, definedLabels);
  if (end === -1) return offset + 1;
  if (!opener.image) brackets.usableFrom = openers.length;
  return end;
}

/**
 * Reads the `(destination "title")` that begins at `at`; returns null if there is none. Offsets of
 * the result are in the whole document.
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
 * defines no such label.
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
  const full = readLabel(cx.text, close + 1 - cx.offset);
  if (full !== null && full.label !== "") return definedLabels.has(full.label) ? full.end + cx.offset : -1;
  if (label === null || !definedLabels.has(label)) return -1;
  return cx.slice(close + 1, close + 3) === "[]" ? close + 3 : close + 1;
}

function readLabelWithin(cx: InlineContext, opener: OpenBracket, close: number): string | null {
  const from = opener.offset + (opener.image ? 2 : 1);
  if (close - from > MAX_LABEL_LENGTH) return null;
  const read = readLabel(cx.text, from - 1 - cx.offset);
  return read?.end === close + 1 - cx.offset ? normaliseLabel(read.label) : null;
}

/** LIMIT: number of characters in a label. CommonMark allows no more. */
const MAX_LABEL_LENGTH = 999;

const EXCLAMATION_MARK = 0x21;
const OPEN_PARENTHESIS = 0x28;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
