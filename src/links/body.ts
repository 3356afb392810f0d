/** Where a text's Markdown begins: after a byte order mark and front matter. */

const FRONT_MATTER = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/;

/** @returns the offset after the line that closes the front matter, or after the byte order mark */
export function bodyStart(text: string): number {
  const mark = text.startsWith("\ufeff") ? 1 : 0;
  const opened = FRONT_MATTER.exec(text);
  if (opened === null) return mark;
  // In empty front matter, one line feed both ends the first fence and precedes the second.
  for (let at = opened[0].length - 1; at !== -1; at = text.indexOf("\n", at + 1)) {
    if (!text.startsWith(opened[1]!, at + 1)) continue;
    const end = endOfLine(text, at + 1);
    if (text.slice(at + 1 + opened[1]!.length, end).trim() === "") return end;
  }
  return mark;
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  return feed === -1 ? text.length : feed + 1;
}
