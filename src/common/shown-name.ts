/**
 * How names and words from outside (files, the service, URLs, error bodies) are put into a line.
 * Whoever chose them chose any character: none may begin a line of its own, move the cursor, colour
 * or hide what follows, or show itself in another order than it has (`a\u202egnp.md`). Escapes are
 * those of JavaScript, so that each name can be told from each other one. Pure.
 */

const STEERING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u;
const ALL_STEERING = new RegExp(STEERING, "gu");
/** Within quotes, a quote and a backslash are escaped too. */
const ALL_IN_QUOTES = new RegExp(`["\\\\]|${STEERING.source}`, "gu");
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/**
 * Whether a terminal, or whoever reads lines, would take part of it for something else than text.
 */
export function steers(text: string): boolean {
  return STEERING.test(text);
}

/** `\n`, `\u{1b}` */
export function escaped(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/**
 * A name or path as it is, or in quotes with escapes where it holds what steers, or looks like one
 * that is quoted.
 */
export function shownName(name: string): string {
  if (!STEERING.test(name) && !name.startsWith('"')) return name;
  return `"${name.replace(ALL_IN_QUOTES, escaped)}"`;
}

/** A sentence that holds names, or comes from the service: on one line, and steering nothing. */
export function shownWords(words: string): string {
  return words.replace(ALL_STEERING, escaped);
}
