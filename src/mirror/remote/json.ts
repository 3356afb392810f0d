/** Reads JSON from outside, within limits. */

type Json =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "not-json"; readonly why: string }
  /** The JSON exceeds the limits. */
  | { readonly kind: "too-much"; readonly why: string };

// LIMIT: no answer of the contract nests deeper than 4; parsing 8 million nested brackets takes
// seconds.
const MAX_DEPTH = 32;
// LIMIT: a page of 1,000 items has some 10,000 values. 32 MB of `{},` are 10 million, and a
// gigabyte once they are parsed.
const MAX_VALUES = 2_000_000;

export function parseJson(text: string): Json {
  const why = whyUnfit(text);
  if (why !== null) return { kind: "too-much", why };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    // The error's message would quote the content, which may be a document's (I30), so it is
    // replaced.
    return { kind: "not-json", why: text.trim() === "" ? "it is empty" : "it is not JSON" };
  }
}

/**
 * Returns why the JSON exceeds the limits, or null. Counts only brackets and commas outside
 * strings. The count may be wrong if the content is not JSON, which the parser then refuses.
 */
function whyUnfit(text: string): string | null {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(text, i);
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
 * Returns the index of the closing quote, or the content's length. Searches from quote to quote,
 * because most of an answer is one string.
 */
function endOfString(text: string, openQuote: number): number {
  let close = openQuote;
  for (;;) {
    close = text.indexOf('"', close + 1);
    if (close === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return close;
  }
}
