/**
 * The lines of a text, without their ends (`\n`, `\r\n`, `\r`). An end at the very end of the text
 * begins no further line.
 */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
