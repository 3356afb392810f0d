/**
 * The dress of a text: line ends, byte order mark and final newline. Deployments and editors change
 * it without changing a word.
 */

/** Whether two texts are the same but for their dress. */
export function sameExceptTextForm(a: string, b: string): boolean {
  return a === b || undress(a) === undress(b);
}

/**
 * What deployments that normalise on save were seen to change: a text that has it is read back
 * after it was sent.
 */
export function mayBeNormalised(text: string): boolean {
  return (
    text.includes("\r") ||
    text.startsWith("\ufeff") ||
    (text !== "" && !text.endsWith("\n")) ||
    text.normalize("NFC") !== text
  );
}

function undress(text: string): string {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}
