/** Parses JSON from the service, and refuses JSON that would take too much time or memory. */

type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "not-json"; readonly why: string }
  | { readonly kind: "too-much"; readonly why: string };

// LIMIT: number of nested levels, because parsing millions of nested brackets would take seconds.
// Answers of the API have at most 4 levels.
const MAX_DEPTH = 32;
// LIMIT: number of values. An answer of 32 MB can contain 10 million values, which would take a
// gigabyte of memory. A page of 1,000 items has some 10,000.
const MAX_VALUES = 2_000_000;

export function parseJson(text: string): ParsedJson {
  const refusal = whyRefused(text);
  if (refusal !== null) return { kind: "too-much", why: refusal };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    // The message of the error is not used, because it may quote the content of a document (I30).
    return { kind: "not-json", why: text.trim() === "" ? "it is empty" : "it is not JSON" };
  }
}

/**
 * Returns why the JSON must not be parsed; null if it may be parsed. Counts brackets and commas
 * outside strings. If the text is not JSON, the counts may be wrong, but parsing then fails anyway.
 */
function whyRefused(text: string): string | null {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = findStringEnd(text, i);
    } else if (isOpening(unit)) {
      values++;
      if (++depth > MAX_DEPTH) return "it is nested too deeply";
    } else if (isClosing(unit)) {
      depth--;
    } else if (unit === COMMA) {
      values++;
    }
    if (values > MAX_VALUES) return "it has too many values";
  }
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isOpening(unit: number): boolean {
  return unit === OPEN_BRACKET || unit === OPEN_BRACE;
}

function isClosing(unit: number): boolean {
  return unit === CLOSE_BRACKET || unit === CLOSE_BRACE;
}

/**
 * Returns the offset at which a string ends; the length of the JSON if no quote closes the string.
 * Jumps from quote to quote, because most answers consist of one long string.
 */
function findStringEnd(text: string, openQuote: number): number {
  let closeQuote = openQuote;
  for (;;) {
    closeQuote = text.indexOf('"', closeQuote + 1);
    if (closeQuote === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(closeQuote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return closeQuote;
  }
}
