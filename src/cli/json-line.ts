/**
 * One JSON value on one line, with nothing in it that steers a terminal: what JSON itself leaves as
 * it is, is escaped too.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const STEERING = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
