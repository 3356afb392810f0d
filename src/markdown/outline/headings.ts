import { readOpenFences } from "./fences.ts";
import { findBodyOffset } from "./front-matter.ts";

export type Heading = {
  readonly level: number;
  /** Text of the heading without its `#` marks or its underline. */
  readonly name: string;
  readonly line: number;
  /** Last line of the section, which ends before the next heading of an equal or a higher level. */
  readonly lastLine: number;
};

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** Matches lines that an underline in the next line does not turn into a heading. */
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
export function findHeadings(lines: readonly string[], from = 0): Omit<Heading, "lastLine">[] {
  const fences = readOpenFences(lines);
  const headings: Omit<Heading, "lastLine">[] = [];
  for (let index = from; index < lines.length; index++) {
    if (fences[index] !== "") continue;
    const heading = readAtxHeading(lines, index) ?? readUnderlinedHeading(lines, index, from);
    if (heading !== null) headings.push(heading);
  }
  return headings;
}

function addSections(found: readonly Omit<Heading, "lastLine">[], lines: number): Heading[] {
  const openHeadings: Omit<Heading, "lastLine">[] = [];
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
  const above = headings.filter((one) => one.line < line && line <= one.lastLine).map(({ name }) => toTypedName(name));
  let index = 0;
  for (const name of above) if (name === names[index]) index++;
  return index === names.length;
}

/**
 * Returns a name as people type it: without Markdown marks and additional spaces, in lower case.
 */
function toTypedName(name: string): string {
  return name
    .replace(/^\s*#+\s+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function readAtxHeading(lines: readonly string[], index: number): Omit<Heading, "lastLine"> | null {
  const [, marks, name = ""] = ATX_HEADING.exec(lines[index]!) ?? [];
  return marks === undefined ? null : { level: marks.length, name, line: index + 1 };
}

function readUnderlinedHeading(
  lines: readonly string[],
  index: number,
  from: number,
): Omit<Heading, "lastLine"> | null {
  const [, marks] = UNDERLINE.exec(lines[index]!) ?? [];
  const above = index > from ? lines[index - 1]! : "";
  if (marks === undefined || above.trim() === "" || NOT_UNDERLINED.test(above)) return null;
  return { level: marks.startsWith("=") ? 1 : 2, name: above.trim(), line: index };
}
