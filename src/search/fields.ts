/** The parts of a path. `name` is the file's without `.md`. */
type PathFields = { readonly name: string; readonly folders: string };

export function pathFieldsOf(path: string): PathFields {
  const cut = path.lastIndexOf("/");
  return { name: path.slice(cut + 1).replace(/\.md$/, ""), folders: path.slice(0, Math.max(0, cut)) };
}

const ATX = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const SETEXT = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TITLE = /^title[ \t]*:/i;

/**
 * Returns the lines of a Markdown text that are headings: `# …`, underlined ones, the title of
 * front matter. A `#` in fenced code is no heading.
 */
export function headingsOf(text: string): string {
  const headings: string[] = [];
  const lines = text.split(/\r\n|\n|\r/);
  const start = lines[0] === "---" ? frontMatterEnd(lines) : 0;
  headings.push(...lines.slice(0, start).filter((line) => TITLE.test(line)));
  let fence: string | null = null;
  for (let i = start; i < lines.length; i++) {
    const line = lines[i]!;
    if (fence === null && isHeadingLine(line, lines[i + 1] ?? "")) headings.push(line);
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = nextFence(fence, mark);
  }
  return headings.join("\n");
}

/** Returns the index of the line that closes it; one that is never closed takes the whole text. */
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
