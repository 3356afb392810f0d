export type Scrub = (text: string, maxLength?: number) => string;

const DEFAULT_MAX_LENGTH = 500;
// Matches a string without spaces and control characters. In such a string, only the key has to be
// replaced. Most strings are request ids, which match.
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\p{Bidi_Control}]+/gu;

/**
 * Returns a function that replaces the key in a string, because a service or proxy may send the key
 * back (I30). The function also removes control characters and shortens the string.
 */
export function createScrub(key: string): Scrub {
  return (text, maxLength = DEFAULT_MAX_LENGTH) => {
    if (text.length <= maxLength && PRINTABLE_ASCII.test(text) && !text.includes(key)) return text;
    // To save time, only the beginning of the text is searched. The beginning is longer than the
    // result by the length of the key, so that the cut never leaves a part of the key.
    const head = text.slice(0, maxLength + key.length);
    const clean = head.replaceAll(key, "[key]").replace(UNPRINTABLE, " ").trim();
    const short = clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
    return short.replaceAll(key, "[key]");
  };
}
