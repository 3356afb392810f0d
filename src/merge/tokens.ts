import { type Budget, spend } from "./budget.ts";
import { LETTER, UNSPACED } from "./words.ts";

/**
 * A piece of text that is merged as a whole, with the white space before it, which is merged apart;
 * `leads`: it makes its line a quote, item, heading or row.
 */
export type Token = { readonly text: string; readonly space: string; readonly leads?: boolean };

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
    String.raw`(?<!\`)(?<ticks>\`{1,9})(?!\`)[^\n]{0,300}?(?<!\`)\k<ticks>(?!\`)`.replaceAll("\\`", "`"), // a code span
    String.raw`<!--[^\n]{0,120}?-->`,
    String.raw`\{(?:/\*[^\n]{0,120}?\*/|#[^\s\}]{1,120})\}`, // a heading's id
    String.raw`(?<=\])\((?:[^\(\)\s]|\([^\(\)\s]{0,200}\)){1,2000}(?:\s"[^"\n]{0,300}")?\)`, // a link's target
    String.raw`(?<=\])\[[^\[\]\n]{0,200}\]`, // a link's reference
    String.raw`<?(?:https?|ftp|mailto):[^\s<>\(\)\[\]]{1,2000}(?<![.,;:!?'"*_])>?`,
    String.raw`v?\p{N}+(?:[.:\/\-]\p{N}+|,\p{N}{3}(?!\p{N}))+`, // a version, a date, a large number
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

/** Whether a token is a heading's id, as `{#name}` or `{/*name*\/}`. */
export function isHeadingId(text: string): boolean {
  return /^\{(?:#|\/\*).+\}$/.test(text);
}

/**
 * The tokens of some whole lines; space and text of all give the lines back. In code no line flows
 * on.
 */
export function tokenise(lines: readonly string[], budget: Budget, code = false): readonly Token[] {
  if (lines.length === 1) return cutLine(lines[0] ?? "", budget);
  const tokens: Token[] = [];
  let before = "";
  for (const [at, line] of lines.entries()) {
    const cut = cutLine(line, budget);
    // The last token is the break; running text goes on without one.
    const last = cut.length - 1;
    for (const [place, token] of cut.entries()) {
      const space = place === 0 ? before + token.space : token.space;
      const next = lines[at + 1];
      if (place === last && token.text === BREAK && !code && next !== undefined && flowsOn(line, next)) {
        before = `${space}\n`;
      } else {
        tokens.push(space === token.space ? token : { ...token, space });
        before = "";
      }
    }
  }
  return tokens;
}

/** The texts of the tokens of one line, made once a merge. */
export function textsOf(line: string, budget: Budget): readonly string[] {
  const known = budget.tokens.get(line) ?? cutLine(line, budget).map((token) => token.text);
  // What was cut without a budget is no reading of the line.
  if (budget.left >= 0) budget.tokens.set(line, known);
  return known;
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
    const atStart = before === undefined || before.text === BREAK || before.text === BLANK || before.leads === true;
    return token.leads !== true || atStart;
  });
}

/** The tokens of one line, whatever stands around it: its break is always one. */
function cutLine(line: string, budget: Budget): readonly Token[] {
  const known = budget.cut.get(line);
  if (known !== undefined) return known;
  const body = line.endsWith("\n") ? line.slice(0, -1) : line;
  if (budget.left < 0) return [{ text: BREAK, space: body }];
  const tokens: Token[] = [];
  if (body.trim() === "") {
    tokens.push({ text: BLANK, space: body });
  } else {
    let from = 0;
    let leading = true;
    for (const { 0: text, index } of body.matchAll(ATOM)) {
      const space = body.slice(from, index);
      from = index + text.length;
      leading &&= LEADS.test(text) && /[\s>|]/.test(body[from] ?? " ");
      tokens.push(leading ? { text, space, leads: true } : { text, space });
      // What is left stays one token: nothing comes of a merge whose budget is used up.
      if (!spend(budget, STEPS_A_TOKEN)) {
        tokens.push({ text: body.slice(from), space: "" });
        break;
      }
    }
    if (body !== line) tokens.push({ text: BREAK, space: budget.left < 0 ? "" : body.slice(from) });
  }
  budget.cut.set(line, tokens);
  return tokens;
}

/**
 * Text again. A blank line's token stands for its line feed alone, since its line has no other
 * text.
 */
export function write(tokens: readonly Token[]): string {
  let text = "";
  for (const token of tokens) text += token.space + (token.text === BLANK ? "\n" : token.text);
  return text;
}

const STRUCTURE = /^\s*(?:[-*+]\s|\p{N}+[.)]\s|#{1,6}\s|>|\||```|~~~|<|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;
const LINE_OF_ITS_OWN = /^\s*(?:#{1,6}\s|\||```|~~~|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;

/** Whether the break between two lines is as good as a blank: running text goes on. */
export function flowsOn(line: string, next: string): boolean {
  return !LINE_OF_ITS_OWN.test(line) && !STRUCTURE.test(next);
}
