/** Makes text from the service safe for messages, logs and the screen. */
export type Scrub = (text: string, maxLength?: number) => string;

const MAX_LENGTH = 500;
// Matches the form of nearly every text that is scrubbed: a request id.
const PLAIN = /^[\x21-\x7e]*$/;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\p{Bidi_Control}]+/gu;

/**
 * Returns a function that removes the key, which a service or a proxy may echo (I30), removes
 * control characters, and cuts the text to a length.
 */
export function createScrub(key: string): Scrub {
  return (text, maxLength = MAX_LENGTH) => {
    if (text.length <= maxLength && PLAIN.test(text) && !text.includes(key)) return text;
    // LIMIT: only the beginning of a long text is searched. The key's length is added, so that no
    // half of a key remains at the cut.
    const head = text.slice(0, maxLength + key.length);
    const clean = head.replaceAll(key, "[key]").replace(UNPRINTABLE, " ").trim();
    const short = clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
    return short.replaceAll(key, "[key]");
  };
}
