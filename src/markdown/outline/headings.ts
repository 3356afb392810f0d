import { openFences } from "./fences.ts";
import { findBodyOffset } from "./front-matter.ts";

/** A heading of a Markdown document, with its section. */
export type Heading = {
  /** Level of the heading, 1 to 6. */
  readonly level: number;
  /** Name as written, without the marks of the heading. */
  readonly name: string;
  /** Line of the heading, from 1. */
  readonly line: number;
  /** Last line of the section: the line before the next heading of the same or a higher level. */
  readonly lastLine: number;
};

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** Matches beginnings of a line that an underline cannot turn into a heading. */
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d{1,9}[.)]))/;

/** Returns the headings outside of code and front matter (CommonMark 0.31.2, sections 4.2, 4.3). */
export function headingsOf(text: string): Heading[] {
  const lines = text.split(/\r?\n/);
  const from = text.slice(0, findBodyOffset(text)).split("\n").length - 1;
  return withSections(headingsIn(lines, from), text.endsWith("\n") ? lines.length - 1 : lines.length);
}

/** Returns the headings of some lines, without their sections, from the index `from` on. */
export function headingsIn(lines: readonly string[], from = 0): Omit<Heading, "lastLine">[] {
  const fences = openFences(lines);
  const found: Omit<Heading, "lastLine">[] = [];
  for (let index = from; index < lines.length; index++) {
    if (fences[index] !== "") continue;
    const heading = atxAt(lines, index) ?? underlinedAt(lines, index, from);
    if (heading !== null) found.push(heading);
  }
  return found;
}

/** Adds the end of the section to each heading. */
function withSections(found: readonly Omit<Heading, "lastLine">[], lines: number): Heading[] {
  const open: Omit<Heading, "lastLine">[] = [];
  const headings: Heading[] = [];
  for (const heading of found.toReversed()) {
    while (open.length > 0 && open.at(-1)!.level > heading.level) open.pop();
    headings.push({ ...heading, lastLine: (open.at(-1)?.line ?? lines + 1) - 1 });
    open.push(heading);
  }
  return headings.reverse();
}

/**
 * Returns the headings with a name. A path of names (`Plan > Costs`) selects only the headings
 * below the earlier ones.
 */
export function headingsNamed(headings: readonly Heading[], wanted: string): Heading[] {
  const names = wanted.split(">").map(asTyped);
  const ownName = names.pop()!;
  const matches = headings.filter(({ name }) => asTyped(name) === ownName);
  return matches.filter((heading) => isBelowAll(headings, heading, names));
}

function isBelowAll(headings: readonly Heading[], { line }: Heading, names: readonly string[]): boolean {
  const above = headings.filter((one) => one.line < line && line <= one.lastLine).map(({ name }) => asTyped(name));
  let index = 0;
  for (const name of above) if (name === names[index]) index++;
  return index === names.length;
}

/** Returns a heading's name as people type it: without its marks, spaces at its ends, and case. */
function asTyped(name: string): string {
  return name
    .replace(/^\s*#+\s+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function atxAt(lines: readonly string[], index: number): Omit<Heading, "lastLine"> | null {
  const [, marks, name = ""] = ATX.exec(lines[index]!) ?? [];
  return marks === undefined ? null : { level: marks.length, name, line: index + 1 };
}

/** Returns the heading above the underline at `index`. */
function underlinedAt(lines: readonly string[], index: number, from: number): Omit<Heading, "lastLine"> | null {
  const [, marks] = UNDERLINE.exec(lines[index]!) ?? [];
  const above = index > from ? lines[index - 1]! : "";
  if (marks === undefined || above.trim() === "" || NO_PARAGRAPH.test(above)) return null;
  return { level: marks.startsWith("=") ? 1 : 2, name: above.trim(), line: index };
}
