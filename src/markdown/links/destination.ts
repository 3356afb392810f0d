import { isDirId, isDocId } from "../../contract/ids.ts";

type TextRange = { readonly from: number; readonly to: number };

export type LinkResource = {
  /** Range of the destination, without `<` and `>`; null if the parentheses are empty. */
  readonly destination: TextRange | null;
  readonly angle: boolean;
  readonly title: TextRange | null;
  readonly end: number;
};

/**
 * Characters (`"`, `'` or `)`) that could end a title, and that a search did not find in the rest
 * of the document. So the rest of the document is searched only once for each character.
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
 * Reads the parentheses after the text of a link. Returns null if the parentheses contain anything
 * but a destination and a title.
 */
export function readResource(text: string, open: number, unclosed: UnclosedMarks): LinkResource | null {
  let offset = skipSpaces(text, open + 1);
  const hasAngles = text.charCodeAt(offset) === LESS_THAN;
  const destination = text.charCodeAt(offset) === CLOSE_PARENTHESIS ? null : readDestination(text, offset);
  if (destination === null && text.charCodeAt(offset) !== CLOSE_PARENTHESIS) return null;
  const destinationEnd = destination === null ? offset : destination.to + (hasAngles ? 1 : 0);
  offset = skipSpaces(text, destinationEnd);
  const title = offset > destinationEnd ? readTitle(text, offset, unclosed) : null;
  if (title !== null) offset = skipSpaces(text, title.to + 1);
  return text.charCodeAt(offset) === CLOSE_PARENTHESIS
    ? { destination, angle: hasAngles, title, end: offset + 1 }
    : null;
}

export function readDestination(text: string, offset: number): TextRange | null {
  if (text.charCodeAt(offset) !== LESS_THAN) {
    const to = findBareEnd(text, offset);
    return to > offset ? { from: offset, to } : null;
  }
  ANGLE_DESTINATION.lastIndex = offset;
  const innerText = ANGLE_DESTINATION.exec(text)?.[1];
  return innerText === undefined ? null : { from: offset + 1, to: offset + 1 + innerText.length };
}

/**
 * Returns the offset after a destination without `<` and `>`; -1 if the destination has unbalanced
 * parentheses.
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

/** Returns a label without differences in case and spaces, for comparison with other labels. */
export function normaliseLabel(label: string): string {
  return label
    .replace(/[\t\r\n ]+/g, " ")
    .replace(/^ | $/g, "")
    .toLowerCase()
    .toUpperCase();
}

/** Returns true for ASCII punctuation, the only characters that a backslash can escape. */
function isPunctuation(character: string): boolean {
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

export type Destination = {
  /**
   * Kind of the target.
   * - `path`: relative path, or path from the root with a leading slash; still percent-encoded
   * - `id`: id of a document or folder
   * - `wiki`: file name in a wiki link
   * - `foreign`: address with a scheme such as `https:`, or a fragment alone
   */
  readonly kind: "path" | "id" | "wiki" | "foreign";
  readonly target: string;
  /** True for a destination with `ref://`, which marks a link without a target on the service. */
  readonly inert: boolean;
  /**
   * Offset in the destination at which its query or fragment begins; without query and fragment,
   * the length of the destination.
   */
  readonly suffixAt: number;
};

export const INERT_SCHEME = "ref://";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

export function readDestinationParts(raw: string): Destination {
  const isInert = raw.startsWith(INERT_SCHEME);
  const start = isInert ? INERT_SCHEME.length : 0;
  const { target, end } = decodeUntilSuffix(raw, start);
  const parts = { target, inert: isInert, suffixAt: end };
  if ((target === "" && (end === raw.length || raw[end] !== "?")) || SCHEME.test(target))
    return { ...parts, kind: "foreign" };
  return { ...parts, kind: isId(target) ? "id" : "path" };
}

export function isId(text: string): boolean {
  return isDocId(text) || isDirId(text);
}

/**
 * Returns the destination up to its query or fragment, and resolves backslash escapes and entities.
 * An escaped `?` or `#` also begins the query or fragment.
 */
function decodeUntilSuffix(raw: string, start: number): { target: string; end: number } {
  let target = "";
  for (let offset = start; offset < raw.length; ) {
    const { character, length } = readCharacterAt(raw, offset);
    if (character === "?" || character === "#") return { target, end: offset };
    target += character;
    offset += length;
  }
  return { target, end: raw.length };
}

const ENTITY = /&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]*));/iy;

function readCharacterAt(raw: string, i: number): { character: string; length: number } {
  if (raw[i] === "\\" && isPunctuation(raw.charAt(i + 1))) return { character: raw[i + 1]!, length: 2 };
  ENTITY.lastIndex = i;
  const [entity, decimal, hex, name] = (raw[i] === "&" && ENTITY.exec(raw)) || [];
  if (entity === undefined) return { character: raw[i]!, length: 1 };
  const character =
    name === undefined ? toCharacter(Number.parseInt((decimal ?? hex)!, hex ? 16 : 10)) : NAMED_ENTITIES[name];
  return character === undefined ? { character: "&", length: 1 } : { character, length: entity.length };
}

function toCharacter(code: number): string {
  const isNoCharacter = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isNoCharacter ? "\ufffd" : String.fromCodePoint(code);
}

/**
 * Entities in addresses.
 * LIMIT: contains only the entities that editors write, because HTML has more than 2,000 entities.
 */
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  num: "#",
  quest: "?",
  percnt: "%",
  colon: ":",
  sol: "/",
  period: ".",
  lpar: "(",
  rpar: ")",
  lsqb: "[",
  rsqb: "]",
  lbrack: "[",
  rbrack: "]",
  lowbar: "_",
  comma: ",",
  excl: "!",
  plus: "+",
  equals: "=",
  commat: "@",
  dollar: "$",
  ast: "*",
  vert: "|",
  grave: "`",
  bsol: "\\",
};

/**
 * Encodes only characters that have a meaning in Markdown or in a URL, so that letters of all
 * languages stay readable.
 * @param angle true if the destination will be between `<` and `>`, where spaces and parentheses
 * need no encoding
 */
export function encodeDestination(path: string, angle: boolean): string {
  const encoded = path.replace(angle ? UNSAFE_IN_ANGLE_BRACKETS : UNSAFE_CHARACTER, encodeCharacter);
  // Without encoding, `a:` in `a:b.md` would be a scheme, and `doc_1` an id.
  if (SCHEME.test(encoded)) return encoded.replace(":", "%3A");
  return isId(encoded) ? `./${encoded}` : encoded;
}

const UNSAFE_CHARACTER = /[\p{Cc}\s<>\\%#?|`"&()[\]\u200b\u2060\ufeff]/gu;
const UNSAFE_IN_ANGLE_BRACKETS = /[\p{Cc}\r\n\t\u2028\u2029<>\\%#?|`&]/gu;

/** Percent-encodes a character, even parentheses, which `encodeURIComponent` leaves. */
export function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace("(", "%28").replace(")", "%29");
}
