/** The columns of a path in the index. `name` is the file's without `.md`. */
type PathFields = { readonly name: string; readonly folders: string };

/** The columns of a text in the index. `body` is every line that is no heading. */
type TextFields = { readonly headings: string; readonly body: string };

export function pathFieldsOf(path: string): PathFields {
  const cut = path.lastIndexOf("/");
  return { name: path.slice(cut + 1).replace(/\.md$/, ""), folders: path.slice(0, Math.max(0, cut)) };
}

const ATX = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const SETEXT = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TITLE = /^title[ \t]*:/i;

/**
 * Splits a Markdown text: headings (`# …`, underlined ones, the title of front matter), and the
 * rest. A `#` in fenced code is no heading.
 */
export function textFieldsOf(text: string): TextFields {
  const headings: string[] = [];
  const body: string[] = [];
  const lines = text.replaceAll("\0", " ").split(/\r\n|\n|\r/);
  const start = lines[0] === "---" ? frontMatterEnd(lines) : 0;
  for (const line of lines.slice(0, start)) (TITLE.test(line) ? headings : body).push(line);
  let fence: string | null = null;
  for (const [i, line] of lines.slice(start).entries()) {
    const isHeading = fence === null && isHeadingLine(line, lines[start + i + 1] ?? "");
    (isHeading ? headings : body).push(line);
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = nextFence(fence, mark);
  }
  return { headings: headings.join("\n"), body: body.join("\n") };
}

/** @returns the index of the line that closes it; one that is never closed takes the whole text */
function frontMatterEnd(lines: readonly string[]): number {
  const end = lines.indexOf("---", 1);
  return end === -1 ? lines.length : end;
}

/** A fence is ended by one of its own character that is at least as long. */
function nextFence(open: string | null, mark: string): string | null {
  if (open === null) return mark;
  return mark[0] === open[0] && mark.length >= open.length ? null : open;
}

function isHeadingLine(line: string, next: string): boolean {
  if (ATX.test(line)) return true;
  return line.trim() !== "" && SETEXT.test(next) && !/^\s*(?:[-*+>|]|\d+[.)])/.test(line);
}
