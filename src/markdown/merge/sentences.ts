import type { Runs } from "./split.ts";
import { BLANK, BREAK, type Token } from "./tokens.ts";

/**
 * A run of tokens that is compared as one: `from` is its first token, `id` a number, equal for
 * equal words whatever their white space.
 */
export type Unit = { readonly from: number; readonly id: number };

/** Each token by itself. */
export function words(tokens: readonly Token[]): Unit[] {
  return tokens.map(({ id }, from) => ({ from, id }));
}

const STOP = /^[.!?…]$/;
const WIDE_STOP = /^[。！？；]$/;
const CLOSING = /^[)\]"'”’»」』）*_]$/;

/**
 * Sentences, by their stops; line breaks that structure depends on and blank lines stand alone.
 * `keys` gives the numbers.
 */
export function sentences(tokens: readonly Token[], keys: Runs): Unit[] {
  const ids = tokens.map(({ id }) => id);
  const units: Unit[] = [];
  let from = 0;
  for (let at = 0; at < tokens.length; at++) {
    const text = (tokens[at] as Token).text;
    const alone = text === BREAK || text === BLANK;
    if (from < at && (alone || endsSentence(tokens, at))) {
      units.push({ from, id: keys.id(ids, from, at) });
      from = at;
    }
    if (alone) {
      units.push({ from, id: keys.id(ids, from, at + 1) });
      from = at + 1;
    }
  }
  if (from < tokens.length) units.push({ from, id: keys.id(ids, from, tokens.length) });
  return units;
}

/** Whether a sentence ends right before the token at `at`. */
function endsSentence(tokens: readonly Token[], at: number): boolean {
  let last = at - 1;
  while (last > 0 && tokens[last]?.space === "" && CLOSING.test(tokens[last]?.text ?? "")) last--;
  const stop = tokens[last]?.text ?? "";
  if (WIDE_STOP.test(stop)) return !CLOSING.test(tokens[at]?.text ?? "");
  return STOP.test(stop) && tokens[at]?.space !== "";
}
