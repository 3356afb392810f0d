/**
 * Returns a JSON value on one line that cannot control a terminal: also escapes characters that
 * JSON does not escape.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const STEERING = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
