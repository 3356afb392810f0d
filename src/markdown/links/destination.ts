import { isDirId, isDocId } from "../../contract/ids.ts";
import { isPunctuation } from "./resource.ts";

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
  /**
   * True if the destination begins with `ref://`. On the service, this marks a link that has no
   * target.
   */
  readonly inert: boolean;
  /**
   * Offset in the destination at which its query or fragment begins; the length of the destination
   * if it has none.
   */
  readonly suffixAt: number;
};

export const INERT_SCHEME = "ref://";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

export function readDestinationParts(raw: string): Destination {
  const inert = raw.startsWith(INERT_SCHEME);
  const start = inert ? INERT_SCHEME.length : 0;
  const { target, end } = decodeUntilSuffix(raw, start);
  const parts = { target, inert, suffixAt: end };
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
  const isNone = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isNone ? "\ufffd" : String.fromCodePoint(code);
}

/**
 * LIMIT: contains only the entities that editors write in addresses. HTML has more than 2,000
 * entities.
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

/** Percent-encodes a character. Also encodes parentheses, which `encodeURIComponent` leaves. */
export function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace("(", "%28").replace(")", "%29");
}

export function decodePercents(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
