/**
 * Finds out which brackets of a paragraph are links, in time linear in its length. The parser
 * itself reads every `[a]` as a reference, so it finds no link in `[the [old] plan](plan.md)`, and
 * it compares each bracket with all earlier ones.
 */

import type { InlineContext } from "@lezer/markdown";
import { normaliseLabel, readLabel, readResource, type Resource, type Unclosed } from "./resource.ts";
import { readWikiLink, type WikiLink, wordsOf } from "./wiki.ts";

/** A link with its destination right after its brackets. */
export type InlineLink = Resource & {
  readonly kind: "link" | "image" | "wiki";
  readonly from: number;
  readonly wiki?: WikiLink;
};

type Opener = { readonly offset: number; readonly image: boolean };

/** State of reading one paragraph. */
export type Brackets = {
  readonly openers: Opener[];
  /**
   * Index of the first link opener that can still become a link. Openers before it would contain a
   * link, which Markdown does not allow.
   */
  usableFrom: number;
  readonly unclosed: Unclosed;
};

export function newBrackets(): Brackets {
  return { openers: [], usableFrom: 0, unclosed: new Set() };
}

type BracketContext = {
  /** Normalised labels of the document's definitions; those of footnotes with their `^`. */
  readonly definedLabels: ReadonlySet<string>;
  readonly countsWiki: boolean;
  /** Called for each link with a destination; offsets are the document's. */
  readonly onLink: (link: InlineLink) => void;
};

/** Returns the offset at which the parser continues; -1 if no bracket is at `offset`. */
export function readBracket(
  brackets: Brackets,
  cx: InlineContext,
  next: number,
  offset: number,
  context: BracketContext,
): number {
  const named = context.countsWiki && brackets.openers.length === 0 ? readWiki(cx, next, offset, context) : null;
  if (named !== null) return named;
  if (next === EXCLAMATION && cx.char(offset + 1) === OPEN_BRACKET) {
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
 * Reads a local wiki link. A wiki link inside other brackets does not count: on the service it
 * would be a Markdown link, and the brackets around it would become plain text.
 * @returns the end of the wiki link
 */
function readWiki(
  cx: InlineContext,
  next: number,
  offset: number,
  { definedLabels, onLink }: BracketContext,
): number | null {
  const from = next === EXCLAMATION ? offset + 1 : next === OPEN_BRACKET ? offset : -1;
  const read = from === -1 ? null : readWikiLink(cx.text, from - cx.offset);
  if (read === null) return null;
  const label = cx.slice(from + 2, read.to + cx.offset - 2);
  if (definedLabels.has(normaliseLabel(label)) || definedLabels.has(normaliseLabel(read.text))) return null;
  const span = { from, to: read.to + cx.offset };
  const wiki = { ...read, ...span };
  onLink({ kind: "wiki", from, destination: span, angle: false, title: null, end: span.to, wiki });
  return span.to;
}

/** Returns the service's form of a wiki link; undefined if the link is an ordinary one. */
function wikiFormOf(cx: InlineContext, opener: Opener, close: number, resource: Resource): { wiki?: WikiLink } {
  const { destination, title, angle, end } = resource;
  if (destination === null || title !== null || angle) return {};
  if (destination.from !== close + 2 || destination.to !== end - 1) return {};
  const from = opener.image ? opener.offset + 1 : opener.offset;
  const text = wordsOf(cx.slice(from + 1, close));
  return text === null ? {} : { wiki: { from, to: end, name: null, heading: "", text, inTable: false } };
}

function closeBracket(brackets: Brackets, cx: InlineContext, offset: number, context: BracketContext): number {
  const { definedLabels, onLink } = context;
  const { openers, unclosed } = brackets;
  const opener = openers.pop();
  if (opener === undefined) return offset + 1;
  const isDead = !opener.image && openers.length < brackets.usableFrom;
  brackets.usableFrom = Math.min(brackets.usableFrom, openers.length);
  if (isDead) return offset + 1;
  const label = definedLabels.size === 0 ? null : labelWithin(cx, opener, offset);
  if (label?.startsWith("^") && definedLabels.has(label)) return offset + 1;
  const resource = resourceAt(cx, offset + 1, unclosed);
  if (resource !== null) {
    const wiki = context.countsWiki && openers.length === 0 ? wikiFormOf(cx, opener, offset, resource) : {};
    onLink({ ...resource, kind: opener.image ? "image" : "link", from: opener.offset, ...wiki });
  }
  const end = resource?.end ?? referenceEnd(cx, offset, label, definedLabels);
  if (end === -1) return offset + 1;
  if (!opener.image) brackets.usableFrom = openers.length;
  return end;
}

/** Returns the resource, with offsets of the document; null if none begins at `offset`. */
function resourceAt(cx: InlineContext, at: number, unclosed: Unclosed): Resource | null {
  if (cx.char(at) !== OPEN_PARENTHESIS) return null;
  const { offset } = cx;
  const read = readResource(cx.text, at - offset, unclosed);
  if (read === null) return null;
  const moved = (span: Resource["title"]) => span && { from: span.from + offset, to: span.to + offset };
  return { ...read, destination: moved(read.destination), title: moved(read.title), end: read.end + offset };
}

/** Returns the end of the reference whose text closes at `close`; -1 if it is no reference. */
function referenceEnd(
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

/** Returns the content of a pair of brackets as a label; null if the content cannot be a label. */
function labelWithin(cx: InlineContext, opener: Opener, close: number): string | null {
  const from = opener.offset + (opener.image ? 2 : 1);
  if (close - from > MAX_LABEL) return null;
  const read = readLabel(cx.text, from - 1 - cx.offset);
  return read?.end === close + 1 - cx.offset ? normaliseLabel(read.label) : null;
}

/** LIMIT: characters of a label, as CommonMark says. */
const MAX_LABEL = 999;

const EXCLAMATION = 0x21;
const OPEN_PARENTHESIS = 0x28;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
