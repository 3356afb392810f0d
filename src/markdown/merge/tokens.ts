import { SequenceNumbers, StringNumbers } from "./split.ts";
import { type Budget, spendSteps } from "./budget.ts";

/** Pattern (flag `v`) for a character of a script without spaces between words. */
export const UNSPACED_CHARACTER = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** Pattern (flag `v`) for a letter, digit or combining mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CHARACTER}]`;

const WORD = new RegExp(`${UNSPACED_CHARACTER}|${LETTER}+`, "gv");

/** Splits a string into words. In scripts without spaces, each character is a word. */
export function splitIntoWords(text: string): string[] {
  return text.match(WORD) ?? [];
}

/**
 * Word or symbol that is merged as a whole.
 * - `id`: equal tokens have equal numbers
 * - `space`: white space before the token, which is merged separately
 * - `leads`: true if the token begins a quote, item, heading or row
 */
export type Token = { readonly id: number; readonly text: string; readonly space: string; readonly leads: boolean };

export type TokenPassage = {
  readonly base: readonly Token[];
  readonly local: readonly Token[];
  readonly remote: readonly Token[];
};

/**
 * Token for the end of a heading, item, row or the like. Line breaks inside a paragraph are white
 * space before the next token.
 */
export const LINE_BREAK = "\n";
export const BLANK_LINE = "\n\n";

/**
 * Returns true if a token contains a letter or digit, as words, links and code do. Punctuation and
 * line breaks are not words.
 */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Tokens that end a line. The index of a token is its number. */
const LINE_ENDS: readonly string[] = [LINE_BREAK, BLANK_LINE];

export function endsLine(id: number): boolean {
  return id >= 0 && id < LINE_ENDS.length;
}

export function endsLineBefore(ids: readonly number[], index: number): boolean {
  return endsLine(ids[index - 1] ?? -1);
}

/**
 * Gives a sentence that consists only of a line end the number of that line end's token. So
 * `endsLine` works for sentences, too.
 */
export function createSentenceNumbers(): SequenceNumbers {
  const runs = new SequenceNumbers();
  for (const id of LINE_ENDS.keys()) runs.id([id], 0, 1);
  return runs;
}

export class TokenNumbers extends StringNumbers {
  constructor() {
    super();
    for (const text of LINE_ENDS) this.id(text);
  }

  token(text: string, space: string, leads = false): Token {
    return { id: this.id(text), text, space, leads };
  }

  isWord(id: number): boolean {
    return isWord(this.text(id));
  }

  isHidden(id: number): boolean {
    return isHiddenToken(this.text(id));
  }
}

export function isLineEnd(text: string): boolean {
  return text === LINE_BREAK || text === BLANK_LINE;
}

export function isCheckBox(text: string): boolean {
  return /^\[[ xX]\]$/.test(text);
}

export function isHeadingId(text: string): boolean {
  return /^\{(?:#|\/\*).+\}$/.test(text);
}

export function isHiddenToken(text: string): boolean {
  return isHeadingId(text) || text.startsWith("<!--");
}

/**
 * Joins the tokens of several lines. Line breaks inside a paragraph become white space before the
 * next token.
 * @param cuts tokens of each line
 * @param code true if the lines are code, so that every line break stays a token
 */
export function joinTokens(
  lines: readonly string[],
  cuts: readonly (readonly Token[])[],
  code: boolean,
): readonly Token[] {
  if (cuts.length === 1) return cuts[0] as readonly Token[];
  const tokens: Token[] = [];
  let spaceBefore = "";
  for (let index = 0; index < cuts.length; index++) {
    const lineTokens = cuts[index] as readonly Token[];
    const lastToken = lineTokens.at(-1) as Token;
    const isParagraphBreak = !code && lastToken.text === LINE_BREAK && continuesParagraph(lines, index);
    const tokenCount = isParagraphBreak ? lineTokens.length - 1 : lineTokens.length;
    const addedTokens = lineTokens
      .slice(0, tokenCount)
      .map((token, at) => (at === 0 ? { ...token, space: spaceBefore + token.space } : token));
    for (const token of addedTokens) tokens.push(token);
    spaceBefore = isParagraphBreak ? `${tokenCount > 0 ? "" : spaceBefore}${lastToken.space}\n` : "";
  }
  return tokens;
}

function continuesParagraph(lines: readonly string[], index: number): boolean {
  const nextLine = lines[index + 1];
  return nextLine !== undefined && isSoftBreak(lines[index] as string, nextLine);
}

/** Returns true if every mark of a quote, item, heading or row still begins a line. */
export function keepsLineMarks(tokens: readonly Token[]): boolean {
  return tokens.every((token, index) => {
    const previousToken = tokens[index - 1];
    const isAtStart = previousToken === undefined || isLineEnd(previousToken.text) || previousToken.leads;
    return !token.leads || isAtStart;
  });
}

export function writeTokens(tokens: readonly Token[]): string {
  return tokens.map(({ space, text }) => space + (text === BLANK_LINE ? "\n" : text)).join("");
}

const STRUCTURE_LINE = /^\s*(?:[-*+]\s|\p{N}+[.)]\s|#{1,6}\s|>|\||```|~~~|<|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;
const LINE_OF_ITS_OWN = /^\s*(?:#{1,6}\s|\||```|~~~|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;

/**
 * Returns true if a paragraph continues from one line to the next. The line break then means no
 * more than a space.
 */
export function isSoftBreak(line: string, next: string): boolean {
  return !LINE_OF_ITS_OWN.test(line) && !STRUCTURE_LINE.test(next);
}

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
    // A flag. Then an emoji with its modifiers, such as skin tone, and with the emojis that are
    // joined to it.
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
 * Splits one line into tokens; the line break is a token, too. If no steps are left in the budget,
 * the rest of the line becomes one token, because the merge then has no result anyway.
 */
export function tokeniseLine(line: string, texts: TokenNumbers, budget: Budget): readonly Token[] {
  const body = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (budget.left < 0) return [texts.token(LINE_BREAK, body)];
  if (body.trim() === "") return [texts.token(BLANK_LINE, body)];
  const tokens: Token[] = [];
  const bodyEnd = tokeniseBody(body, tokens, texts, budget);
  if (body !== line) tokens.push(texts.token(LINE_BREAK, budget.left < 0 ? "" : body.slice(bodyEnd)));
  return tokens;
}

/**
 * Matches the number or letter of a list item, heading or table row, such as `3.` or `a)`. Group 1
 * contains the characters before the number in an item or heading, group 2 those in a table row.
 */
const ITEM_NUMBER =
  /^(\s*(?:(?:>|[-*+]|#{1,6})\s+)*)(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)](?=\s+\S)|\p{N}{1,4}、)|^(\s*\|\s*)\p{N}{1,4}(?=\s*\|)/u;

/**
 * Returns the range of a line's item number, as two offsets; -1 for both if the line has no item
 * number. Item numbers are merged like white space, because one edit may renumber all items below
 * it.
 */
function findItemNumber(body: string): readonly [from: number, to: number] {
  const numberMatch = ITEM_NUMBER.exec(body);
  return numberMatch === null ? [-1, -1] : [(numberMatch[1] ?? numberMatch[2] ?? "").length, numberMatch[0].length];
}

/**
 * Adds the tokens of a line to `tokens`, without the token of its line break. Returns the offset
 * after the last token.
 */
function tokeniseBody(body: string, tokens: Token[], texts: TokenNumbers, budget: Budget): number {
  let [from, written] = [0, 0];
  let isLeading = true;
  const [ordinal, end] = findItemNumber(body);
  const foundTokens: readonly string[] = body.match(TOKEN) ?? [];
  for (let tokenIndex = 0; tokenIndex < foundTokens.length; tokenIndex++) {
    const text = foundTokens[tokenIndex] as string;
    // Only white space is between two tokens, and no token begins with white space, so the search
    // finds the right offset.
    const index = body.indexOf(text, from);
    from = index + text.length;
    if (ordinal <= index && index < end) continue;
    const space = body.slice(written, index);
    written = from;
    isLeading &&= index < end || end < 0;
    isLeading &&= LINE_PREFIX.test(text) && /[\s>|]/.test(body[from] ?? " ");
    tokens.push(texts.token(text, space, isLeading));
    if (!spendSteps(budget, STEPS_PER_TOKEN)) {
      tokens.push(texts.token(body.slice(from), ""));
      break;
    }
  }
  return from;
}
