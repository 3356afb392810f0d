import { type Budget, spendSteps } from "./budget.ts";
import { BLANK_LINE, LINE_BREAK, type Token, type TokenNumbers } from "./tokens.ts";
import { LETTER, UNSPACED_CHARACTER } from "./words.ts";

// Matches one token: a word, or other characters that a merge must not split.
// LIMIT: every repetition has a maximum, so that the time stays proportional to the length of the
// document.
const TOKEN = new RegExp(
  [
    // Code span.
    String.raw`(?<!\`)(?<ticks>\`{1,9})(?!\`)[^\n]{0,300}?(?<!\`)\k<ticks>(?!\`)`.replaceAll("\\`", "`"),
    String.raw`<!--[^\n]{0,120}?-->`,
    String.raw`\{(?:/\*[^\n]{0,120}?\*/|#[^\s\}]{1,120})\}`, // a heading's id
    // Destination of a link, with its parentheses.
    String.raw`(?<=\])\((?:[^\(\)\s]|\([^\(\)\s]{0,200}\)){1,2000}(?:\s"[^"\n]{0,300}")?\)`,
    String.raw`(?<=\])\[[^\[\]\n]{0,200}\]`, // a link's reference
    String.raw`<?(?:https?|ftp|mailto):[^\s<>\(\)\[\]]{1,2000}(?<![.,;:!?'"*_])>?`,
    String.raw`v?\p{N}+(?:[.:\/\-]\p{N}+|,\p{N}{3}(?!\p{N}))+`, // a version, a date, a large number
    // The first line matches a flag. The second line matches an emoji with its modifiers, such as
    // skin tone, and with the emojis that are joined to it.
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}\u{20E3}]{0,3}(?:\u{200D}\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}]{0,3}){0,9}`,
    UNSPACED_CHARACTER,
    `${LETTER}+(?:_+${LETTER}+)*`,
    String.raw`</?\p{L}[^<>\n]{0,300}>`, // a tag
    String.raw`\[[ xX]\](?=\s)`, // a check box
    String.raw`(?<run>[*_~=#:\`])\k<run>{1,9}|\[\[|\]\]|!\[`, // pairs and runs of marks with one meaning
    String.raw`\S`,
  ].join("|"),
  "gv",
);

const STEPS_PER_TOKEN = 30;

export const LINE_PREFIX = /^(?:>|[-*+|]|#{1,6})$/;

/**
 * Splits one line into tokens; the line break is a token, too. If the budget ends, the rest of the
 * line becomes one token, because the merge then has no result anyway.
 */
export function tokeniseLine(line: string, texts: TokenNumbers, budget: Budget): readonly Token[] {
  const body = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (budget.left < 0) return [texts.token(LINE_BREAK, body)];
  if (body.trim() === "") return [texts.token(BLANK_LINE, body)];
  const tokens: Token[] = [];
  const end = tokeniseBody(body, tokens, texts, budget);
  if (body !== line) tokens.push(texts.token(LINE_BREAK, budget.left < 0 ? "" : body.slice(end)));
  return tokens;
}

/**
 * Matches the number or letter of a list item, heading or table row, such as `3.` or `a)`. Group 1
 * contains the characters before the number in an item or heading, group 2 those in a table row.
 */
const ITEM_NUMBER =
  /^(\s*(?:(?:>|[-*+]|#{1,6})\s+)*)(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)](?=\s+\S)|\p{N}{1,4}、)|^(\s*\|\s*)\p{N}{1,4}(?=\s*\|)/u;

/**
 * Returns the range of a line's item number, as two offsets; -1 for both if the line has none. Item
 * numbers are merged like white space, because one edit may renumber all items below it.
 */
function findItemNumber(body: string): readonly [from: number, to: number] {
  const numberMatch = ITEM_NUMBER.exec(body);
  return numberMatch === null ? [-1, -1] : [(numberMatch[1] ?? numberMatch[2] ?? "").length, numberMatch[0].length];
}

/**
 * Adds the tokens of a line without its line break to `tokens`. Returns the offset after the last
 * token.
 */
function tokeniseBody(body: string, tokens: Token[], texts: TokenNumbers, budget: Budget): number {
  let [from, written] = [0, 0];
  let leading = true;
  const [ordinal, end] = findItemNumber(body);
  const foundTokens: readonly string[] = body.match(TOKEN) ?? [];
  for (let at = 0; at < foundTokens.length; at++) {
    const text = foundTokens[at] as string;
    // Only white space is between two tokens, and no token begins with white space, so the search
    // finds the right offset.
    const index = body.indexOf(text, from);
    from = index + text.length;
    if (ordinal <= index && index < end) continue;
    const space = body.slice(written, index);
    written = from;
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
