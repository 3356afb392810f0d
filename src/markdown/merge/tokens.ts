import { StringNumbers, SequenceNumbers } from "./split.ts";

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
 * Returns true if a token contains a letter or digit, as words, links and code do. Returns false
 * for punctuation and line breaks.
 */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Tokens that end a line, in the order of their numbers. */
const LINE_ENDS: readonly string[] = [LINE_BREAK, BLANK_LINE];

export function endsLine(id: number): boolean {
  return id >= 0 && id < LINE_ENDS.length;
}

export function endsLineBefore(ids: readonly number[], index: number): boolean {
  return endsLine(ids[index - 1] ?? -1);
}

/**
 * A sentence that consists only of a line end has the number of that token. So `endsLine` works for
 * sentences, too.
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
    const flows = !code && lastToken.text === LINE_BREAK && continuesParagraph(lines, index);
    const end = flows ? lineTokens.length - 1 : lineTokens.length;
    const added = lineTokens
      .slice(0, end)
      .map((token, at) => (at === 0 ? { ...token, space: spaceBefore + token.space } : token));
    for (const token of added) tokens.push(token);
    spaceBefore = flows ? `${end > 0 ? "" : spaceBefore}${lastToken.space}\n` : "";
  }
  return tokens;
}

function continuesParagraph(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1];
  return next !== undefined && isSoftBreak(lines[index] as string, next);
}

/**
 * Returns true if every mark of a quote, item, heading or row is still at the beginning of a line.
 */
export function keepsLineMarks(tokens: readonly Token[]): boolean {
  return tokens.every((token, index) => {
    const before = tokens[index - 1];
    const atStart = before === undefined || isLineEnd(before.text) || before.leads;
    return !token.leads || atStart;
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
