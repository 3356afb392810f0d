/**
 * Puts names and words from outside (files, the service, URLs, error bodies) into a line. They may
 * have any character: none may start a new line, move the cursor, colour or hide the following
 * text, or change its order (`a\u202egnp.md`). Escapes are those of JavaScript, so that two names
 * never look alike. Pure.
 */

const STEERING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u;
const ALL_STEERING = new RegExp(STEERING, "gu");
/**
 * Characters to escape in a quoted name: within quotes, a quote and a backslash are escaped too.
 */
const ALL_IN_QUOTES = new RegExp(`["\\\\]|${STEERING.source}`, "gu");
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/**
 * Returns true if a terminal, or a program that reads lines, would take a part of the text for a
 * control sequence.
 */
export function hasControlCharacters(text: string): boolean {
  return STEERING.test(text);
}

/**
 * Returns the escape of a character: `\n`, `\u{1b}`.
 */
export function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/**
 * Returns a name or path. A name that has control characters, or looks like a quoted name, is put
 * in quotes with escapes.
 */
export function shownName(name: string): string {
  if (!STEERING.test(name) && !name.startsWith('"')) return name;
  return `"${name.replace(ALL_IN_QUOTES, escaped)}"`;
}

/**
 * Returns a sentence as one safe line. The sentence may contain names or words from the service.
 */
export function shownWords(words: string): string {
  return words.replace(ALL_STEERING, escaped);
}
