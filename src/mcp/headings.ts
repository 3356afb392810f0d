import { openFences } from "../merge/fences.ts";
import { splitLines } from "../merge/split.ts";

/** The headings of a Markdown text, as far as reading by section needs them. */

export type Heading = {
  readonly level: number;
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** The last line of its section: up to the next heading that is not below it. */
  readonly last: number;
};

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** What a line that an underline makes a heading cannot begin with. */
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d{1,9}[.)]))/;

export function headingsOf(text: string): Heading[] {
  const lines = splitLines(text).map((line) => line.replace(/\r?\n$/, ""));
  const fences = openFences(lines);
  const from = frontMatterEnd(lines);
  const found: Omit<Heading, "last">[] = [];
  for (let at = from; at < lines.length; at++) {
    if (fences[at] !== "") continue;
    const heading = atxAt(lines, at) ?? underlinedAt(lines, at, from);
    if (heading !== null) found.push(heading);
  }
  return found.map((one, at) => {
    const next = found.slice(at + 1).find(({ level }) => level <= one.level);
    return { ...one, last: next === undefined ? lines.length : next.line - 1 };
  });
}

/** Those of a name; a path of names (`Plan > Costs`) takes those below such headings alone. */
export function headingsNamed(headings: readonly Heading[], wanted: string): Heading[] {
  const names = wanted.split(">").map(plain);
  const own = names.pop()!;
  const matches = headings.filter(({ name }) => plain(name) === own);
  return matches.filter((one) => isBelowAll(headings, one, names));
}

function isBelowAll(headings: readonly Heading[], { line }: Heading, names: readonly string[]): boolean {
  const above = headings.filter((other) => other.line < line && line <= other.last).map(({ name }) => plain(name));
  let at = 0;
  for (const name of above) if (name === names[at]) at++;
  return at === names.length;
}

/** As people type a heading: without its marks, spaces at its ends, and case. */
function plain(name: string): string {
  return name
    .replace(/^\s*#+\s+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function atxAt(lines: readonly string[], at: number): Omit<Heading, "last"> | null {
  const [, marks, name = ""] = ATX.exec(lines[at]!) ?? [];
  return marks === undefined ? null : { level: marks.length, name, line: at + 1 };
}

/** The underline is at `at`: the heading is the line above it. */
function underlinedAt(lines: readonly string[], at: number, from: number): Omit<Heading, "last"> | null {
  const [, marks] = UNDERLINE.exec(lines[at]!) ?? [];
  const above = at > from ? lines[at - 1]! : "";
  if (marks === undefined || above.trim() === "" || NO_PARAGRAPH.test(above)) return null;
  return { level: marks.startsWith("=") ? 1 : 2, name: above.trim(), line: at };
}

/** @returns the index of the first line behind the front matter */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end < 0 ? 0 : end + 1;
}
