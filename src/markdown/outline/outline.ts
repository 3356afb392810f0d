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
 * Returns the range of the front matter; null if the document has no front matter. Front matter
 * begins with `---` or `+++` in the first line, and ends with the next such line. YAML may also end
 * with `...`.
 */
export function findFrontMatter(text: string): FrontMatterRange | null {
  const openingMatch = OPENING_LINE.exec(text);
  if (openingMatch === null) return null;
  const mark = openingMatch[1] as FrontMatterRange["mark"];
  const from = openingMatch[0].length;
  for (let offset = from; offset < text.length; offset = findLineEnd(text, offset)) {
    const lineEnd = findLineEnd(text, offset);
    const line = text.slice(offset, offset + 3);
    const isMark = line === mark || (mark === "---" && line === "...");
    if (isMark && text.slice(offset + 3, lineEnd).trim() === "") return { mark, from, to: offset, end: lineEnd };
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

const FENCE_LINE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/**
 * Returns the mark of the code fence that a line opens, such as three backticks. The line may be in
 * a list or quote. Returns an empty string if the line opens no fence.
 */
export function readOpeningFence(line: string): string {
  const [, fence = "", info = ""] = FENCE_LINE.exec(line) ?? [];
  return fence.startsWith("`") && info.includes("`") ? "" : fence;
}

/**
 * Returns true if a line closes a code fence. Such a line repeats the character of the fence, at
 * least as often as the opening line, and contains nothing else.
 */
export function closesFence(fence: string, line: string): boolean {
  const [, mark = "", info = ""] = FENCE_LINE.exec(line) ?? [];
  return mark.startsWith(fence) && info.trim() === "";
}

/**
 * Returns the code fence that is open before each line, and at the end of the document. An empty
 * string means that no fence is open (CommonMark 0.31.2, section 4.5).
 */
export function readOpenFences(lines: readonly string[]): string[] {
  const fences = [""];
  let openFence = "";
  for (const line of lines) {
    if (line.includes("```") || line.includes("~~~")) openFence = updateFence(openFence, line.trimEnd());
    fences.push(openFence);
  }
  return fences;
}

function updateFence(fence: string, line: string): string {
  if (fence === "") return readOpeningFence(line);
  return closesFence(fence, line) ? "" : fence;
}

/**
 * Returns true if a line in [from, to) is code or a fence.
 * @param fences result of `readOpenFences`
 */
export function includesCode(fences: readonly string[], from: number, to: number): boolean {
  if (from === to) return false;
  for (let index = from; index <= to; index++) if (fences[index] !== "") return true;
  return false;
}

export type Heading = {
  readonly level: number;
  /** Text of the heading without its `#` marks or its underline. */
  readonly name: string;
  readonly line: number;
  /** Last line of the section, which ends before the next heading of an equal or a higher level. */
  readonly lastLine: number;
};

/** Heading whose section has no known end yet. */
type OpenHeading = Omit<Heading, "lastLine">;

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** Matches a line that is no heading even if the next line is an underline. */
const NOT_UNDERLINED = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d{1,9}[.)]))/;

/**
 * Returns the headings of a document, except those in code and front matter (CommonMark 0.31.2,
 * sections 4.2 and 4.3).
 */
export function readHeadings(text: string): Heading[] {
  const lines = text.split(/\r?\n/);
  const from = text.slice(0, findBodyOffset(text)).split("\n").length - 1;
  return addSections(findHeadings(lines, from), text.endsWith("\n") ? lines.length - 1 : lines.length);
}

/** @param from index of the first line that may be a heading */
export function findHeadings(lines: readonly string[], from = 0): OpenHeading[] {
  const fences = readOpenFences(lines);
  const headings: OpenHeading[] = [];
  for (let index = from; index < lines.length; index++) {
    if (fences[index] !== "") continue;
    const heading = readAtxHeading(lines, index) ?? readUnderlinedHeading(lines, index, from);
    if (heading !== null) headings.push(heading);
  }
  return headings;
}

function addSections(found: readonly OpenHeading[], lines: number): Heading[] {
  const openHeadings: OpenHeading[] = [];
  const headings: Heading[] = [];
  for (const heading of found.toReversed()) {
    while (openHeadings.length > 0 && openHeadings.at(-1)!.level > heading.level) openHeadings.pop();
    headings.push({ ...heading, lastLine: (openHeadings.at(-1)?.line ?? lines + 1) - 1 });
    openHeadings.push(heading);
  }
  return headings.reverse();
}

/**
 * Returns the headings with a name, or with a path of names. The path `Plan > Costs` means each
 * heading "Costs" in the section of a heading "Plan".
 */
export function findHeadingsByName(headings: readonly Heading[], wanted: string): Heading[] {
  const names = wanted.split(">").map(toTypedName);
  const ownName = names.pop()!;
  const matches = headings.filter(({ name }) => toTypedName(name) === ownName);
  return matches.filter((heading) => isBelowNames(headings, heading, names));
}

function isBelowNames(headings: readonly Heading[], { line }: Heading, names: readonly string[]): boolean {
  const namesAbove = headings
    .filter((one) => one.line < line && line <= one.lastLine)
    .map(({ name }) => toTypedName(name));
  let index = 0;
  for (const name of namesAbove) if (name === names[index]) index++;
  return index === names.length;
}

/** Returns a name as people type it: in lower case, without marks and additional spaces. */
function toTypedName(name: string): string {
  return name
    .replace(/^\s*#+\s+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function readAtxHeading(lines: readonly string[], index: number): OpenHeading | null {
  const [, marks, name = ""] = ATX_HEADING.exec(lines[index]!) ?? [];
  return marks === undefined ? null : { level: marks.length, name, line: index + 1 };
}

function readUnderlinedHeading(lines: readonly string[], index: number, from: number): OpenHeading | null {
  const [, marks] = UNDERLINE.exec(lines[index]!) ?? [];
  const lineAbove = index > from ? lines[index - 1]! : "";
  if (marks === undefined || lineAbove.trim() === "" || NOT_UNDERLINED.test(lineAbove)) return null;
  return { level: marks.startsWith("=") ? 1 : 2, name: lineAbove.trim(), line: index };
}
