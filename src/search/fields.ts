/** The columns of a path in the index. `name` is the file's without `.md`. */
export type PathFields = { readonly name: string; readonly folders: string };

/** The columns of a text in the index. `body` is every line that is no heading. */
export type TextFields = { readonly headings: string; readonly body: string };

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
  let fence: string | null = null;
  let frontMatter = lines[0] === "---";
  for (const [i, line] of lines.entries()) {
    if (frontMatter && i > 0 && line === "---") frontMatter = false;
    const mark = frontMatter ? undefined : FENCE.exec(line)?.[1];
    const inside = fence !== null;
    if (mark !== undefined) fence = nextFence(fence, mark);
    const isHeading = frontMatter ? TITLE.test(line) : !inside && isHeadingLine(line, lines[i + 1] ?? "");
    (isHeading ? headings : body).push(line);
  }
  return { headings: headings.join("\n"), body: body.join("\n") };
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
