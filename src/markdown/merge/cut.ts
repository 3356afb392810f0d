import { type Budget, spend } from "./budget.ts";
import { BLANK, BREAK, type Token, type TokenTexts } from "./tokens.ts";
import { LETTER, UNSPACED } from "./words.ts";

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

/** Cost of a token in steps: to cut, to number, to compare and to write it. */
const STEPS_A_TOKEN = 30;

const LEADS = /^(?:>|[-*+|]|#{1,6})$/;

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

/**
 * What numbers an item, a heading or the row of a table: the first group stands before the number
 * of an item or heading, the second one before that of a row.
 */
const ORDINAL =
  /^(\s*(?:(?:>|[-*+]|#{1,6})\s+)*)(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)](?=\s+\S)|\p{N}{1,4}、)|^(\s*\|\s*)\p{N}{1,4}(?=\s*\|)/u;

/**
 * Where the ordinal of a line begins and ends; both -1 where it has none. A number is no part of
 * what it numbers: it is merged as white space is, so that no edit finds its place by it.
 */
function ordinalIn(body: string): readonly [from: number, to: number] {
  const found = ORDINAL.exec(body);
  return found === null ? [-1, -1] : [(found[1] ?? found[2] ?? "").length, found[0].length];
}

/** Adds the tokens of a line without its break. @returns where the last of them ends */
function cutBody(body: string, tokens: Token[], texts: TokenTexts, budget: Budget): number {
  let [from, written] = [0, 0];
  let leading = true;
  const [ordinal, end] = ordinalIn(body);
  const found: readonly string[] = body.match(ATOM) ?? [];
  for (let at = 0; at < found.length; at++) {
    const text = found[at] as string;
    // Between two tokens is nothing but white space, with which none begins.
    const index = body.indexOf(text, from);
    from = index + text.length;
    if (ordinal <= index && index < end) continue;
    const space = body.slice(written, index);
    written = from;
    // What stands behind an ordinal makes no line of its own.
    leading &&= index < end || end < 0;
    leading &&= LEADS.test(text) && /[\s>|]/.test(body[from] ?? " ");
    tokens.push(texts.token(text, space, leading));
    if (!spend(budget, STEPS_A_TOKEN)) {
      tokens.push(texts.token(body.slice(from), ""));
      break;
    }
  }
  return from;
}
