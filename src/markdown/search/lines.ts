/**
 * Returns the lines of a document without their ends (`\n`, `\r\n`, `\r`). After a line end at the
 * end of the document, no further line begins.
 */
export function splitIntoLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
