type TextRange = { readonly from: number; readonly to: number };

export type LinkResource = {
  /** Range of the destination, without `<` and `>`; null if the parentheses are empty. */
  readonly destination: TextRange | null;
  readonly angle: boolean;
  readonly title: TextRange | null;
  readonly end: number;
};

/**
 * Characters (`"`, `'` or `)`) that could end a title but do not occur in the rest of the document.
 * They are remembered, so that the rest is searched only once.
 */
export type UnclosedMarks = Set<string>;

/**
 * LIMIT: number of nested parentheses in a destination. The reference implementations of CommonMark
 * allow no more.
 */
const MAX_PARENTHESES = 32;

const SPACES = /[ \t\r\n]*/y;
const ANGLE_DESTINATION = /<((?:[^<>\\\r\n]|\\[^\r\n])*)>/y;
const LABEL = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]/y;

/**
 * Reads the parentheses after the text of a link. Returns null if they contain anything but a
 * destination and a title.
 */
export function readResource(text: string, open: number, unclosed: UnclosedMarks): LinkResource | null {
  let offset = skipSpaces(text, open + 1);
  const angle = text.charCodeAt(offset) === LESS_THAN;
  const destination = text.charCodeAt(offset) === CLOSE_PARENTHESIS ? null : readDestination(text, offset);
  if (destination === null && text.charCodeAt(offset) !== CLOSE_PARENTHESIS) return null;
  const end = destination === null ? offset : destination.to + (angle ? 1 : 0);
  offset = skipSpaces(text, end);
  const title = offset > end ? readTitle(text, offset, unclosed) : null;
  if (title !== null) offset = skipSpaces(text, title.to + 1);
  return text.charCodeAt(offset) === CLOSE_PARENTHESIS ? { destination, angle, title, end: offset + 1 } : null;
}

export function readDestination(text: string, offset: number): TextRange | null {
  if (text.charCodeAt(offset) !== LESS_THAN) {
    const to = findBareEnd(text, offset);
    return to > offset ? { from: offset, to } : null;
  }
  ANGLE_DESTINATION.lastIndex = offset;
  const inner = ANGLE_DESTINATION.exec(text)?.[1];
  return inner === undefined ? null : { from: offset + 1, to: offset + 1 + inner.length };
}

/**
 * Returns the offset after a destination without `<` and `>`; -1 if its parentheses are unbalanced.
 */
function findBareEnd(text: string, from: number): number {
  let depth = 0;
  let offset = from;
  for (; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code <= SPACE || code === DELETE) break;
    if (code === BACKSLASH && isPunctuation(text.charAt(offset + 1))) offset++;
    else if (code === OPEN_PARENTHESIS && ++depth > MAX_PARENTHESES) return -1;
    else if (code === CLOSE_PARENTHESIS && --depth < 0) break;
  }
  return depth > 0 ? -1 : offset;
}

function readTitle(text: string, offset: number, unclosed: UnclosedMarks): TextRange | null {
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

export function readLabel(text: string, offset: number): { readonly label: string; readonly end: number } | null {
  LABEL.lastIndex = offset;
  const labelMatch = LABEL.exec(text);
  return labelMatch === null ? null : { label: normaliseLabel(labelMatch[1]!), end: offset + labelMatch[0].length };
}

/**
 * Returns a label in the form in which labels are compared, without differences in case and spaces.
 */
export function normaliseLabel(label: string): string {
  return label
    .replace(/[\t\r\n ]+/g, " ")
    .replace(/^ | $/g, "")
    .toLowerCase()
    .toUpperCase();
}

/** Returns true for ASCII punctuation, the only characters that a backslash can escape. */
export function isPunctuation(character: string): boolean {
  return /^[!-/:-@[-`{-~]$/.test(character);
}

function skipSpaces(text: string, from: number): number {
  SPACES.lastIndex = from;
  SPACES.test(text);
  return SPACES.lastIndex;
}

const SPACE = 0x20;
const OPEN_PARENTHESIS = 0x28;
const CLOSE_PARENTHESIS = 0x29;
const LESS_THAN = 0x3c;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
