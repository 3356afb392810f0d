import type { InlineContext } from "@lezer/markdown";
import { normaliseLabel, readLabel, readResource, type Resource, type Unclosed } from "./resource.ts";

/**
 * Finds which brackets of a paragraph are links, in time linear in its length. The parser's own way
 * takes every `[a]` for a reference, so it sees no link in `[the [old] plan](plan.md)`, and it
 * compares each bracket with all before it.
 */

/** A link whose destination stands right after its brackets. */
export type InlineLink = Resource & { readonly kind: "link" | "image"; readonly from: number };

type Opener = { readonly at: number; readonly image: boolean };

/** The state of reading one paragraph. */
export type Brackets = {
  readonly openers: Opener[];
  /** Link openers below this index contain a link, so they cannot be one. */
  dead: number;
  readonly unclosed: Unclosed;
};

export function newBrackets(): Brackets {
  return { openers: [], dead: 0, unclosed: new Set() };
}

type BracketContext = {
  /** Normalised labels of the text's definitions; those of footnotes with their `^`. */
  readonly defined: ReadonlySet<string>;
  /** Called for each link with a destination; offsets are the document's. */
  readonly onLink: (link: InlineLink) => void;
};

/** @returns where the parser goes on; -1 if this is no bracket */
export function readBracket(
  brackets: Brackets,
  cx: InlineContext,
  next: number,
  at: number,
  context: BracketContext,
): number {
  if (next === EXCLAMATION && cx.char(at + 1) === OPEN_BRACKET) {
    brackets.openers.push({ at, image: true });
    return at + 2;
  }
  if (next === OPEN_BRACKET) {
    brackets.openers.push({ at, image: false });
    return at + 1;
  }
  return next === CLOSE_BRACKET ? closeBracket(brackets, cx, at, context) : -1;
}

function closeBracket(brackets: Brackets, cx: InlineContext, at: number, { defined, onLink }: BracketContext): number {
  const { openers, unclosed } = brackets;
  const opener = openers.pop();
  if (opener === undefined) return at + 1;
  const isDead = !opener.image && openers.length < brackets.dead;
  brackets.dead = Math.min(brackets.dead, openers.length);
  if (isDead) return at + 1;
  const label = defined.size === 0 ? null : labelWithin(cx, opener, at);
  if (label?.startsWith("^") && defined.has(label)) return at + 1;
  const resource = resourceAt(cx, at + 1, unclosed);
  if (resource !== null) onLink({ ...resource, kind: opener.image ? "image" : "link", from: opener.at });
  const end = resource?.end ?? referenceEnd(cx, at, label, defined);
  if (end === -1) return at + 1;
  if (!opener.image) brackets.dead = openers.length;
  return end;
}

/** @returns the resource, with offsets of the document; null if none begins at `at` */
function resourceAt(cx: InlineContext, at: number, unclosed: Unclosed): Resource | null {
  if (cx.char(at) !== OPEN_PARENTHESIS) return null;
  const { offset } = cx;
  const read = readResource(cx.text, at - offset, unclosed);
  if (read === null) return null;
  const moved = (span: Resource["title"]) => span && { from: span.from + offset, to: span.to + offset };
  return { ...read, destination: moved(read.destination), title: moved(read.title), end: read.end + offset };
}

/** @returns the end of the reference whose text closes at `close`; -1 if it is none */
function referenceEnd(cx: InlineContext, close: number, label: string | null, defined: ReadonlySet<string>): number {
  if (defined.size === 0) return -1;
  const full = readLabel(cx.text, close + 1 - cx.offset);
  if (full !== null && full.label !== "") return defined.has(full.label) ? full.end + cx.offset : -1;
  if (label === null || !defined.has(label)) return -1;
  return cx.slice(close + 1, close + 3) === "[]" ? close + 3 : close + 1;
}

/** What a pair of brackets holds, as a label; null if it cannot be one. */
function labelWithin(cx: InlineContext, opener: Opener, close: number): string | null {
  const from = opener.at + (opener.image ? 2 : 1);
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
