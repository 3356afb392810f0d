/** Position of a document's front matter, in offsets. */
type FrontMatter = {
  /** `---` for YAML, `+++` for TOML. */
  readonly mark: "---" | "+++";
  /** Content without the two lines of marks: from this offset up to `to`. */
  readonly from: number;
  readonly to: number;
  /** Offset after the closing line, where the Markdown begins. */
  readonly end: number;
};

const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/;

/**
 * Finds the front matter at the start of a document: a first line of `---` or `+++`, closed by a
 * line of the same mark; YAML may also close with `...`. Returns null if no line closes it.
 */
export function findFrontMatter(text: string): FrontMatter | null {
  const opened = OPENING.exec(text);
  if (opened === null) return null;
  const mark = opened[1] as FrontMatter["mark"];
  const from = opened[0].length;
  for (let offset = from; offset < text.length; offset = endOfLine(text, offset)) {
    const end = endOfLine(text, offset);
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

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  return feed === -1 ? text.length : feed + 1;
}
