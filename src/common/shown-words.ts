/**
 * Makes names and words from outside mdmirror safe to show in one line. The result contains no
 * characters that start a new line, move the cursor, or colour or hide other text. Characters that
 * change the order of the text (`a\u202egnp.md`) are escaped, too. Escape sequences are those of
 * JavaScript. Two different names never look the same.
 */

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u;
const ALL_CONTROL_CHARACTERS = new RegExp(CONTROL_CHARACTER, "gu");
const ALL_ESCAPED_IN_QUOTES = new RegExp(`["\\\\]|${CONTROL_CHARACTER.source}`, "gu");
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/** Returns true if a string has characters that control a terminal or end a line. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

/** Returns the escape sequence of a character, such as `\n` or `\u{1b}`. */
export function toEscapeSequence(character: string): string {
  return ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/**
 * Returns a name for display. If the name has control characters or begins with a quote, it is
 * quoted and escaped.
 */
export function shownName(name: string): string {
  if (!CONTROL_CHARACTER.test(name) && !name.startsWith('"')) return name;
  return `"${name.replace(ALL_ESCAPED_IN_QUOTES, toEscapeSequence)}"`;
}

/** Returns a sentence, which may contain names or words from outside, as one safe line. */
export function shownWords(words: string): string {
  return words.replace(ALL_CONTROL_CHARACTERS, toEscapeSequence);
}

/**
 * Converts a clause to a sentence. If the clause begins with a name, the first letter of the name
 * is not changed.
 */
export function toSentence(clause: string): string {
  const isName = !/^[a-z]+(?:[ ,.;]|$)/.test(clause) || /^[^:]*\.\w+: /.test(clause);
  const start = isName ? clause : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
  return `${start}${/[.!?…]$/.test(clause) ? "" : "."}`;
}
