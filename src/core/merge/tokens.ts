/** A piece of text that is merged as a whole, with the white space before it, which is merged apart. */
export type Token = { readonly text: string; readonly space: string };

/** The text of a line break that structure depends on; other line breaks are white space of the next token. */
export const BREAK = "\n";
/** The text of a blank line. */
export const BLANK = "\n\n";

const IDEOGRAPH = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const LETTERS = `(?:(?![${IDEOGRAPH}])[\\p{L}\\p{N}\\p{M}])+`;
// LIMIT: every run that may fail to close is bounded, so that no text costs more than a multiple of its length.
const ATOM = new RegExp(
  [
    "(?<!`)(?<ticks>`{1,9})(?!`)[^\\n]{0,300}?(?<!`)\\k<ticks>(?!`)", // a code span
    "<!--[^\\n]{0,300}?-->",
    "\\{(?:/\\*[^\\n]{0,200}?\\*/|#[^\\s}]{1,200})\\}", // a heading's id
    '(?<=\\])\\((?:[^()\\s]|\\([^()\\s]{0,200}\\)){1,2000}(?:\\s"[^"\\n]{0,300}")?\\)', // a link's target
    "(?<=\\])\\[[^\\[\\]\\n]{0,200}\\]", // a link's reference
    "<?(?:https?|ftp|mailto):[^\\s<>()\\[\\]]{1,2000}(?<![.,;:!?'\"*_])>?",
    "v?\\p{N}+(?:[.:/\\-]\\p{N}+|,\\p{N}{3}(?!\\p{N}))+", // a version, a date, a large number
    `[${IDEOGRAPH}]`,
    `${LETTERS}(?:_+${LETTERS})*`,
    "\\S",
  ].join("|"),
  "gu",
);

/** Whether a token says something by itself, as words, links and code do and marks and breaks do not. */
export function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Whether a token is a heading's id, as `{#name}` or `{/*name*\/}`. */
export function isHeadingId(text: string): boolean {
  return /^\{(?:#|\/\*).+\}$/.test(text);
}

/** The tokens of some whole lines, and for each line the index of its first token; joined, space and text give all back. */
export function tokenise(lines: readonly string[]): { tokens: Token[]; firsts: number[] } {
  const tokens: Token[] = [];
  const firsts: number[] = [];
  let space = "";
  for (const [at, line] of lines.entries()) {
    firsts.push(tokens.length);
    const body = line.endsWith("\n") ? line.slice(0, -1) : line;
    if (body.trim() === "") {
      tokens.push({ text: BLANK, space: space + body });
      space = "";
      continue;
    }
    space = pushAtoms(tokens, body, space);
    if (body === line) continue;
    const next = lines[at + 1];
    if (next !== undefined && flowsOn(line, next)) {
      space += "\n";
    } else {
      tokens.push({ text: BREAK, space });
      space = "";
    }
  }
  return { tokens, firsts };
}

/** Appends the atoms of one line; gives back the white space after the last. */
function pushAtoms(tokens: Token[], body: string, before: string): string {
  let from = 0;
  let space = before;
  for (const match of body.matchAll(ATOM)) {
    tokens.push({ text: match[0], space: space + body.slice(from, match.index) });
    space = "";
    from = match.index + match[0].length;
  }
  return space + body.slice(from);
}

/** Text again. A blank line's token stands for its line feed alone, since its line has no other text. */
export function write(tokens: readonly Token[]): string {
  let text = "";
  for (const token of tokens) text += token.space + (token.text === BLANK ? "\n" : token.text);
  return text;
}

const STRUCTURE = /^\s*(?:[-*+]\s|\p{N}+[.)]\s|#{1,6}\s|>|\||```|~~~|<|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;
const LINE_OF_ITS_OWN = /^\s*(?:#{1,6}\s|\||```|~~~|\[[^\]]+\]:|:{3}|(?:[-*_=]\s*){3,}$|$)/u;

/** Whether the break between two lines is as good as a blank: running text goes on. */
function flowsOn(line: string, next: string): boolean {
  return !LINE_OF_ITS_OWN.test(line) && !STRUCTURE.test(next);
}
