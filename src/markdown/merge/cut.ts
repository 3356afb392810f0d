import { type Budget, spendSteps } from "./budget.ts";
import { BLANK, BREAK, type Token, type TokenTexts } from "./tokens.ts";
import { LETTER, UNSPACED } from "./words.ts";

// LIMIT: every repetition that may fail to close is bounded, so that the cost stays proportional to
// a text's length.
const ATOM = new RegExp(
  [
    // A code span.
    String.raw`(?<!\`)(?<ticks>\`{1,9})(?!\`)[^\n]{0,300}?(?<!\`)\k<ticks>(?!\`)`.replaceAll("\\`", "`"),
    String.raw`<!--[^\n]{0,120}?-->`,
    String.raw`\{(?:/\*[^\n]{0,120}?\*/|#[^\s\}]{1,120})\}`, // a heading's id
    // A link's target.
    String.raw`(?<=\])\((?:[^\(\)\s]|\([^\(\)\s]{0,200}\)){1,2000}(?:\s"[^"\n]{0,300}")?\)`,
    String.raw`(?<=\])\[[^\[\]\n]{0,200}\]`, // a link's reference
    String.raw`<?(?:https?|ftp|mailto):[^\s<>\(\)\[\]]{1,2000}(?<![.,;:!?'"*_])>?`,
    String.raw`v?\p{N}+(?:[.:\/\-]\p{N}+|,\p{N}{3}(?!\p{N}))+`, // a version, a date, a large number
    // A flag, or an emoji with its modifiers: skin tone, variation, and emojis joined to it.
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}\u{20E3}]{0,3}(?:\u{200D}\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}]{0,3}){0,9}`,
    UNSPACED,
    `${LETTER}+(?:_+${LETTER}+)*`,
    String.raw`</?\p{L}[^<>\n]{0,300}>`, // a tag
    String.raw`\[[ xX]\](?=\s)`, // a check box
    String.raw`(?<run>[*_~=#:\`])\k<run>{1,9}|\[\[|\]\]|!\[`, // pairs and runs of marks with one meaning
    String.raw`\S`,
  ].join("|"),
  "gv",
);

/** Steps that a token costs: cutting it from the text, numbering, comparing and writing. */
const STEPS_PER_TOKEN = 30;

/** Matches a mark at the start of a quote, list item, table row or heading. */
export const LINE_PREFIX = /^(?:>|[-*+|]|#{1,6})$/;

/**
 * Returns the tokens of one line. The lines around it do not matter; the line break is always a
 * token. When the budget ends, the rest of the line becomes one token, because a merge without
 * budget has no result anyway.
 * @param texts numbers the tokens
 */
export function cutLine(line: string, texts: TokenTexts, budget: Budget): readonly Token[] {
  const body = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (budget.left < 0) return [texts.token(BREAK, body)];
  if (body.trim() === "") return [texts.token(BLANK, body)];
  const tokens: Token[] = [];
  const end = cutBody(body, tokens, texts, budget);
  if (body !== line) tokens.push(texts.token(BREAK, budget.left < 0 ? "" : body.slice(end)));
  return tokens;
}

/**
 * Matches the ordinal of an item, heading or table row. Group 1 is the text before the number of an
 * item or heading; group 2 is the text before the number of a row.
 */
const ORDINAL =
  /^(\s*(?:(?:>|[-*+]|#{1,6})\s+)*)(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)](?=\s+\S)|\p{N}{1,4}、)|^(\s*\|\s*)\p{N}{1,4}(?=\s*\|)/u;

/**
 * Returns the start and end of a line's ordinal; both are -1 if the line has none. An ordinal is
 * merged as white space, so that no edit is located by its number.
 */
function ordinalIn(body: string): readonly [from: number, to: number] {
  const found = ORDINAL.exec(body);
  return found === null ? [-1, -1] : [(found[1] ?? found[2] ?? "").length, found[0].length];
}

/**
 * Adds the tokens of a line without its break.
 * @returns the end of the last token
 */
function cutBody(body: string, tokens: Token[], texts: TokenTexts, budget: Budget): number {
  let [from, written] = [0, 0];
  let leading = true;
  const [ordinal, end] = ordinalIn(body);
  const found: readonly string[] = body.match(ATOM) ?? [];
  for (let at = 0; at < found.length; at++) {
    const text = found[at] as string;
    // Tokens are separated by white space only, and no token begins with white space, so the search
    // finds the right place.
    const index = body.indexOf(text, from);
    from = index + text.length;
    if (ordinal <= index && index < end) continue;
    const space = body.slice(written, index);
    written = from;
    // Only marks before the ordinal decide the kind of a line.
    leading &&= index < end || end < 0;
    leading &&= LINE_PREFIX.test(text) && /[\s>|]/.test(body[from] ?? " ");
    tokens.push(texts.token(text, space, leading));
    if (!spendSteps(budget, STEPS_PER_TOKEN)) {
      tokens.push(texts.token(body.slice(from), ""));
      break;
    }
  }
  return from;
}
