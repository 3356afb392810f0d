/** Grammar of the part after a link's brackets: `(destination "title")` or `[label]`. */

/** A span of a document: `to` is after its last character. */
type Span = { readonly from: number; readonly to: number };

export type Resource = {
  /** Destination without `<` and `>`; null for `()`. */
  readonly destination: Span | null;
  readonly angle: boolean;
  /** Title without its quotes. */
  readonly title: Span | null;
  /** Offset after the `)`. */
  readonly end: number;
};

/**
 * Closing characters (`"`, `'` or `)`) that do not occur in the rest of the document. Later titles
 * need no search for them.
 */
export type Unclosed = Set<string>;

/** LIMIT: nested parentheses in a destination, as in the reference parsers. */
const MAX_PARENTHESES = 32;

const SPACES = /[ \t\r\n]*/y;
const ANGLE = /<((?:[^<>\\\r\n]|\\[^\r\n])*)>/y;
const LABEL = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]/y;

/**
 * @param open offset of the `(`
 * @returns null if no resource begins at `open`
 */
export function readResource(text: string, open: number, unclosed: Unclosed): Resource | null {
  let offset = skipSpaces(text, open + 1);
  const angle = text.charCodeAt(offset) === LESS_THAN;
  const destination = text.charCodeAt(offset) === CLOSE ? null : readDestination(text, offset);
  if (destination === null && text.charCodeAt(offset) !== CLOSE) return null;
  const end = destination === null ? offset : destination.to + (angle ? 1 : 0);
  offset = skipSpaces(text, end);
  const title = offset > end ? readTitle(text, offset, unclosed) : null;
  if (title !== null) offset = skipSpaces(text, title.to + 1);
  return text.charCodeAt(offset) === CLOSE ? { destination, angle, title, end: offset + 1 } : null;
}

/** Returns the destination that begins at `offset`, without `<` and `>`; null if there is none. */
export function readDestination(text: string, offset: number): Span | null {
  if (text.charCodeAt(offset) !== LESS_THAN) {
    const to = bareEnd(text, offset);
    return to > offset ? { from: offset, to } : null;
  }
  ANGLE.lastIndex = offset;
  const inner = ANGLE.exec(text)?.[1];
  return inner === undefined ? null : { from: offset + 1, to: offset + 1 + inner.length };
}

/**
 * Returns the end of a destination without angle brackets; -1 if its parentheses are unbalanced.
 */
function bareEnd(text: string, from: number): number {
  let depth = 0;
  let offset = from;
  for (; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code <= SPACE || code === DELETE) break;
    if (code === BACKSLASH && isPunctuation(text.charAt(offset + 1))) offset++;
    else if (code === OPEN && ++depth > MAX_PARENTHESES) return -1;
    else if (code === CLOSE && --depth < 0) break;
  }
  return depth > 0 ? -1 : offset;
}

/**
 * Returns the range of the title whose opening quote is at `offset`, without both quotes. Null if
 * there is no title.
 */
function readTitle(text: string, offset: number, unclosed: Unclosed): Span | null {
  const opener = text[offset];
  if (opener !== '"' && opener !== "'" && opener !== "(") return null;
  const closer = opener === "(" ? ")" : opener;
  if (unclosed.has(closer)) return null;
  for (let to = offset + 1; to < text.length; to++) {
    const character = text[to];
    if (character === closer) return { from: offset + 1, to };
    if (character === "(" && opener === "(") return null;
    if (character === "\\") to++;
  }
  unclosed.add(closer);
  return null;
}

/** Returns the normalised label of a `[label]` at `offset`, and its end; null if there is none. */
export function readLabel(text: string, offset: number): { readonly label: string; readonly end: number } | null {
  LABEL.lastIndex = offset;
  const found = LABEL.exec(text);
  return found === null ? null : { label: normaliseLabel(found[1]!), end: offset + found[0].length };
}

/** Returns the normal form of a label. All labels of one definition have one normal form. */
export function normaliseLabel(label: string): string {
  return label
    .replace(/[\t\r\n ]+/g, " ")
    .replace(/^ | $/g, "")
    .toLowerCase()
    .toUpperCase();
}

/** Returns true for punctuation of ASCII, which a backslash can escape. */
export function isPunctuation(character: string): boolean {
  return /^[!-/:-@[-`{-~]$/.test(character);
}

function skipSpaces(text: string, from: number): number {
  SPACES.lastIndex = from;
  SPACES.test(text);
  return SPACES.lastIndex;
}

const SPACE = 0x20;
const OPEN = 0x28;
const CLOSE = 0x29;
const LESS_THAN = 0x3c;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
