import { type Budget, spend } from "./budget.ts";
import { Interner, Runs } from "./split.ts";
import { LETTER, UNSPACED } from "./words.ts";

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

// LIMIT: every run that may fail to close is bounded, so that no text costs more than a multiple of
// its length.
const ATOM = new RegExp(
  [
    // A plain word, found without a look at what else could begin here.
    String.raw`[A-Za-egi-ln-uw-z][A-Za-z0-9]*(?=[ .,;:!?'"\(\)]|$)`,
    // A code span.
    String.raw`(?<!\`)(?<ticks>\`{1,9})(?!\`)[^\n]{0,300}?(?<!\`)\k<ticks>(?!\`)`.replaceAll("\\`", "`"),
    String.raw`<!--[^\n]{0,120}?-->`,
    String.raw`\{(?:/\*[^\n]{0,120}?\*/|#[^\s\}]{1,120})\}`, // a heading's id
    // A link's target.
    String.raw`(?<=\])\((?:[^\(\)\s]|\([^\(\)\s]{0,200}\)){1,2000}(?:\s"[^"\n]{0,300}")?\)`,
    String.raw`(?<=\])\[[^\[\]\n]{0,200}\]`, // a link's reference
    String.raw`<?(?:https?|ftp|mailto):[^\s<>\(\)\[\]]{1,2000}(?<![.,;:!?'"*_])>?`,
    String.raw`v?\p{N}+(?:[.:\/\-]\p{N}+|,\p{N}{3}(?!\p{N}))+`, // a version, a date, a large number
    // A flag, or a picture with what makes it another one: skin, form, and pictures joined to it.
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}\u{20E3}]{0,3}(?:\u{200D}\p{ExtPict}[\u{1F3FB}-\u{1F3FF}\u{FE0F}]{0,3}){0,9}`,
    UNSPACED,
    `${LETTER}+(?:_+${LETTER}+)*`,
    String.raw`</?\p{L}[^<>\n]{0,300}>`, // a tag
    String.raw`\[[ xX]\](?=\s)`, // a check box
    String.raw`(?<run>[*_~=#:\`])\k<run>{1,9}|\[\[|\]\]|!\[`, // marks that mean something together
    String.raw`\S`,
  ].join("|"),
  "gv",
);

/**
 * Whether a token says something by itself, as words, links and code do and marks and breaks do
 * not.
 */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * Whether a token is a mark that Markdown gives a meaning, as emphasis, brackets, quotes and tags.
 */
export function isMark(text: string): boolean {
  return /^(?:[*_~=#:`>|+-]+|!?\[{1,2}|\]{1,2}|<[^>]+>)$/.test(text);
}

/** What ends a line: the numbers of these texts are their places here. */
const LINE_ENDS: readonly string[] = [BREAK, BLANK];

/** Whether a number that `TokenTexts` gave is that of a line break or a blank line. */
export function endsLine(id: number): boolean {
  return id >= 0 && id < LINE_ENDS.length;
}

/** Numbers for runs of tokens, of which a line's end alone has the number of its text. */
export function newRuns(): Runs {
  const runs = new Runs();
  for (const id of LINE_ENDS.keys()) runs.id([id], 0, 1);
  return runs;
}

/** Numbers for the texts of tokens, and what kind of token each is, found once. */
export class TokenTexts extends Interner {
  readonly #isWord: boolean[] = [];
  readonly #isMarkOrBreak: boolean[] = [];

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
    this.#isWord[id] ??= isWord(this.text(id));
    return this.#isWord[id];
  }

  isAside(id: number): boolean {
    return isAside(this.text(id));
  }

  isMarkOrBreak(id: number): boolean {
    this.#isMarkOrBreak[id] ??= this.text(id) === BREAK || isMark(this.text(id));
    return this.#isMarkOrBreak[id];
  }
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

/** What a token costs in steps: to cut, to number, to compare and to write. */
const STEPS_A_TOKEN = 30;

const LEADS = /^(?:>|[-*+|]|#{1,6})$/;

/**
 * Whether what makes a line a quote, item, heading or row still stands before everything else in a
 * line.
 */
export function leadsLines(tokens: readonly Token[]): boolean {
  return tokens.every((token, at) => {
    const before = tokens[at - 1];
    const atStart = before === undefined || before.text === BREAK || before.text === BLANK || before.leads;
    return !token.leads || atStart;
  });
}

/**
 * The tokens of one line, whatever stands around it: its break is always one. What the budget does
 * not pay for stays one token: nothing comes of a merge whose budget is used up. `texts` gives the
 * numbers.
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

/** Adds the tokens of a line without its break. @returns where the last of them ends */
function cutBody(body: string, tokens: Token[], texts: TokenTexts, budget: Budget): number {
  let from = 0;
  let leading = true;
  const found: readonly string[] = body.match(ATOM) ?? [];
  for (let at = 0; at < found.length; at++) {
    const text = found[at] as string;
    // Between two tokens is nothing but white space, with which none begins.
    const index = body.indexOf(text, from);
    const space = index === from ? "" : body.slice(from, index);
    from = index + text.length;
    leading &&= LEADS.test(text) && /[\s>|]/.test(body[from] ?? " ");
    tokens.push(texts.token(text, space, leading));
    if (!spend(budget, STEPS_A_TOKEN)) {
      tokens.push(texts.token(body.slice(from), ""));
      break;
    }
  }
  return from;
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
