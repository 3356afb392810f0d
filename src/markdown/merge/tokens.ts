import { Interner, Runs } from "./split.ts";

/**
 * A piece of text that is merged as a whole, with the white space before it, which is merged apart;
 * `id`: the number of its text; `leads`: it makes its line a quote, item, heading or row.
 */
export type Token = { readonly id: number; readonly text: string; readonly space: string; readonly leads: boolean };

/** The tokens that stand for one passage in each of three texts. */
export type Passage = {
  readonly base: readonly Token[];
  readonly local: readonly Token[];
  readonly remote: readonly Token[];
};

/**
 * The text of a line break that structure depends on; other line breaks are white space of the next
 * token.
 */
export const BREAK = "\n";
/** The text of a blank line. */
export const BLANK = "\n\n";

/**
 * Whether a token says something by itself, as words, links and code do and marks and breaks do
 * not.
 */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** What ends a line: the numbers of these texts are their places here. */
const LINE_ENDS: readonly string[] = [BREAK, BLANK];

/** Whether a number that `TokenTexts` gave is that of a line break or a blank line. */
export function endsLine(id: number): boolean {
  return id >= 0 && id < LINE_ENDS.length;
}

/** Whether a line ends right before a place among the numbers of tokens. */
export function endsLineBefore(ids: readonly number[], at: number): boolean {
  return endsLine(ids[at - 1] ?? -1);
}

/** Numbers for runs of tokens, of which a line's end alone has the number of its text. */
export function newRuns(): Runs {
  const runs = new Runs();
  for (const id of LINE_ENDS.keys()) runs.id([id], 0, 1);
  return runs;
}

/** Numbers for the texts of tokens, and what kind of token each is, found once. */
export class TokenTexts extends Interner {
  constructor() {
    super();
    for (const text of LINE_ENDS) this.id(text);
  }

  /** A token of a text, numbered. */
  token(text: string, space: string, leads = false): Token {
    return { id: this.id(text), text, space, leads };
  }

  /** Whether the token of this number says something by itself. */
  isWord(id: number): boolean {
    return isWord(this.text(id));
  }

  isAside(id: number): boolean {
    return isAside(this.text(id));
  }
}

/** Whether a token is a line break that structure depends on, or a blank line. */
export function isLineEnd(text: string): boolean {
  return text === BREAK || text === BLANK;
}

/** Whether a token is the check box of a task. */
export function isCheckBox(text: string): boolean {
  return /^\[[ xX]\]$/.test(text);
}

/** Whether a token is a heading's id, as `{#name}` or `{/*name*\/}`. */
export function isHeadingId(text: string): boolean {
  return /^\{(?:#|\/\*).+\}$/.test(text);
}

/** Whether a token is a comment, or a heading's id: text that readers do not see. */
export function isAside(text: string): boolean {
  return isHeadingId(text) || text.startsWith("<!--");
}

/**
 * The tokens of some whole lines, of which `cuts` has the tokens of each; in code no line flows on.
 */
export function joinTokens(
  lines: readonly string[],
  cuts: readonly (readonly Token[])[],
  code: boolean,
): readonly Token[] {
  if (cuts.length === 1) return cuts[0] as readonly Token[];
  const tokens: Token[] = [];
  let before = "";
  for (let at = 0; at < cuts.length; at++) {
    const cut = cuts[at] as readonly Token[];
    const last = cut.at(-1) as Token;
    // The last token is the break; running text goes on without one.
    const flows = !code && last.text === BREAK && breaksInText(lines, at);
    const end = flows ? cut.length - 1 : cut.length;
    pushTokens(tokens, cut, end, before);
    before = flows ? `${end > 0 ? "" : before}${last.space}\n` : "";
  }
  return tokens;
}

/** Adds the first `end` tokens of a line, with white space before them. */
function pushTokens(tokens: Token[], cut: readonly Token[], end: number, before: string): void {
  for (let at = 0; at < end; at++) {
    const token = cut[at] as Token;
    tokens.push(at > 0 || before === "" ? token : { ...token, space: before + token.space });
  }
}

/** Whether the break after a line is one of running text. */
function breaksInText(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1];
  return next !== undefined && flowsOn(lines[at] as string, next);
}

/**
 * Whether what makes a line a quote, item, heading or row still stands before everything else in a
 * line.
 */
export function leadsLines(tokens: readonly Token[]): boolean {
  return tokens.every((token, at) => {
    const before = tokens[at - 1];
    const atStart = before === undefined || isLineEnd(before.text) || before.leads;
    return !token.leads || atStart;
  });
}

/**
 * Text again. A blank line's token stands for its line feed alone, since its line has no other
 * text.
 */
export function write(tokens: readonly Token[]): string {
  let text = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    text += token.space + (token.text === BLANK ? "\n" : token.text);
  }
  return text;
}

const STRUCTURE = /^\s*(?:[-*+]\s|\p{N}+[.)]\s|#{1,6}\s|>|\||```|~~~|<|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;
const LINE_OF_ITS_OWN = /^\s*(?:#{1,6}\s|\||```|~~~|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;

/** Whether the break between two lines is as good as a blank: running text goes on. */
export function flowsOn(line: string, next: string): boolean {
  return !LINE_OF_ITS_OWN.test(line) && !STRUCTURE.test(next);
}
