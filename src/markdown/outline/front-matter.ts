type FrontMatterRange = {
  /** Line that encloses the front matter: `---` for YAML, `+++` for TOML. */
  readonly mark: "---" | "+++";
  readonly from: number;
  readonly to: number;
  /** Offset after the closing line, where the Markdown begins. */
  readonly end: number;
};

const OPENING_LINE = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/;

/**
 * Returns the range of the front matter; null if a document has none. Front matter begins with
 * `---` or `+++` in the first line, and ends with the next such line. YAML may also end with `...`.
 */
export function findFrontMatter(text: string): FrontMatterRange | null {
  const opening = OPENING_LINE.exec(text);
  if (opening === null) return null;
  const mark = opening[1] as FrontMatterRange["mark"];
  const from = opening[0].length;
  for (let offset = from; offset < text.length; offset = findLineEnd(text, offset)) {
    const end = findLineEnd(text, offset);
    const line = text.slice(offset, offset + 3);
    const isMark = line === mark || (mark === "---" && line === "...");
    if (isMark && text.slice(offset + 3, end).trim() === "") return { mark, from, to: offset, end };
  }
  return null;
}

/** Returns the offset at which the Markdown begins: after a byte order mark and front matter. */
export function findBodyOffset(text: string): number {
  return findFrontMatter(text)?.end ?? (text.startsWith("\ufeff") ? 1 : 0);
}

function findLineEnd(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  return feed === -1 ? text.length : feed + 1;
}
