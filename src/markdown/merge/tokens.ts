import { StringNumbers, RunNumbers } from "./split.ts";

/**
 * A piece of text that is merged as a whole; the white space before it is merged separately. `id`:
 * number of its text. `leads`: true if the token makes its line a quote, item, heading or row.
 */
export type Token = { readonly id: number; readonly text: string; readonly space: string; readonly leads: boolean };

/** The tokens of one passage in each of three texts. */
export type Passage = {
  readonly base: readonly Token[];
  readonly local: readonly Token[];
  readonly remote: readonly Token[];
};

/** The text of a structural line break; other line breaks are white space of the next token. */
export const BREAK = "\n";
/** Text of the token for a blank line. */
export const BLANK = "\n\n";

/**
 * Returns true if a token has a meaning of its own: words, links and code, but no marks or breaks.
 */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Texts of tokens that end a line. The index of a text is its number in `TokenTexts`. */
const LINE_ENDS: readonly string[] = [BREAK, BLANK];

/** Returns true if this number in `TokenTexts` is that of a line break or a blank line. */
export function endsLine(id: number): boolean {
  return id >= 0 && id < LINE_ENDS.length;
}

/** Returns true if a line ends right before an index among the numbers of tokens. */
export function endsLineBefore(ids: readonly number[], index: number): boolean {
  return endsLine(ids[index - 1] ?? -1);
}

/**
 * Returns a numbering for runs of tokens, in which only line ends have numbers yet. A run that is
 * just the end of a line keeps the number of its text, so that `endsLine` works for runs too.
 */
export function newRuns(): RunNumbers {
  const runs = new RunNumbers();
  for (const id of LINE_ENDS.keys()) runs.id([id], 0, 1);
  return runs;
}

export class TokenTexts extends StringNumbers {
  constructor() {
    super();
    for (const text of LINE_ENDS) this.id(text);
  }

  token(text: string, space: string, leads = false): Token {
    return { id: this.id(text), text, space, leads };
  }

  /** Returns true if the token with this number is a word: a token with a meaning of its own. */
  isWord(id: number): boolean {
    return isWord(this.text(id));
  }

  isHidden(id: number): boolean {
    return isHiddenToken(this.text(id));
  }
}

/** Returns true if a token is a structural line break or a blank line. */
export function isLineEnd(text: string): boolean {
  return text === BREAK || text === BLANK;
}

/** Returns true if a token is the check box of a task. */
export function isCheckBox(text: string): boolean {
  return /^\[[ xX]\]$/.test(text);
}

/** Returns true if a token is a heading's id, as `{#name}` or `{/*name*\/}`. */
export function isHeadingId(text: string): boolean {
  return /^\{(?:#|\/\*).+\}$/.test(text);
}

/** Returns true if a token is a comment or a heading's id: text that readers do not see. */
export function isHiddenToken(text: string): boolean {
  return isHeadingId(text) || text.startsWith("<!--");
}

/**
 * Joins the tokens of whole lines. In code, every line break stays a token.
 * @param cuts the tokens of each line
 */
export function joinTokens(
  lines: readonly string[],
  cuts: readonly (readonly Token[])[],
  code: boolean,
): readonly Token[] {
  if (cuts.length === 1) return cuts[0] as readonly Token[];
  const tokens: Token[] = [];
  let before = "";
  for (let index = 0; index < cuts.length; index++) {
    const cut = cuts[index] as readonly Token[];
    const last = cut.at(-1) as Token;
    // The last token is the line break. In running text, the line break becomes white space of the
    // next token.
    const flows = !code && last.text === BREAK && breaksInText(lines, index);
    const end = flows ? cut.length - 1 : cut.length;
    const added = cut.slice(0, end).map((token, at) => (at === 0 ? { ...token, space: before + token.space } : token));
    for (const token of added) tokens.push(token);
    before = flows ? `${end > 0 ? "" : before}${last.space}\n` : "";
  }
  return tokens;
}

/** Returns true if running text continues after the end of a line. */
function breaksInText(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1];
  return next !== undefined && isSoftBreak(lines[index] as string, next);
}

/**
 * Returns true if every mark that makes its line a quote, item, heading or row still begins a line.
 */
export function keepsLineMarks(tokens: readonly Token[]): boolean {
  return tokens.every((token, index) => {
    const before = tokens[index - 1];
    const atStart = before === undefined || isLineEnd(before.text) || before.leads;
    return !token.leads || atStart;
  });
}

/** Writes tokens as text. The token of a blank line becomes one line feed. */
export function writeTokens(tokens: readonly Token[]): string {
  return tokens.map(({ space, text }) => space + (text === BLANK ? "\n" : text)).join("");
}

const STRUCTURE = /^\s*(?:[-*+]\s|\p{N}+[.)]\s|#{1,6}\s|>|\||```|~~~|<|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;
const LINE_OF_ITS_OWN = /^\s*(?:#{1,6}\s|\||```|~~~|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;

/** Returns true if the break between two lines equals a space, because running text continues. */
export function isSoftBreak(line: string, next: string): boolean {
  return !LINE_OF_ITS_OWN.test(line) && !STRUCTURE.test(next);
}
