import { readFrontMatterOfFile } from "./front-matter.ts";

/** Keys whose date says when work was last done or is due: the later of two dates wins. */
const LATEST_DATE_KEY =
  /^(?:date|due|due[ _-]?date|deadline|.*(?:update|modif|edit|change|visit|review|sync|seen|lastmod).*)$/i;

/**
 * Returns both sides with equal dates: if both changed the date of a key in `LATEST_DATE_KEY`, each
 * side gets the later date. The merge itself decides other dates, and changes of one side alone.
 * Each side keeps its line ends.
 */
export function settleDates(base: string, local: string, remote: string): readonly [local: string, remote: string] {
  const [b, l, r] = [base, local, remote].map(readFrontMatterOfFile);
  if (l === undefined || r === undefined) return [local, remote];
  let [mine, theirs] = [local, remote];
  for (const [key, entry] of l.entries) {
    const other = r.entries.get(key);
    if (!LATEST_DATE_KEY.test(key) || other === undefined || !areTwoChanges(b?.entries.get(key), entry, other))
      continue;
    const order = compareDates(entry, other);
    if (order > 0) theirs = withLine(theirs, other, entry);
    else if (order < 0) mine = withLine(mine, entry, other);
  }
  return [mine, theirs];
}

/** Returns true if both sides changed an entry in different ways. */
function areTwoChanges(before: string | undefined, mine: string, theirs: string): boolean {
  return mine !== theirs && mine !== before && theirs !== before;
}

/**
 * Compares the dates of two entries: positive if the first is later, otherwise negative; NaN if
 * they are not comparable.
 */
function compareDates(one: string, other: string): number {
  const [mine, theirs] = [dateOf(one), dateOf(other)];
  if (mine === undefined || theirs === undefined || mine.length !== theirs.length) return Number.NaN;
  return mine > theirs ? 1 : -1;
}

/**
 * Returns a text with one line of its front matter replaced. Both lines are passed with a line
 * feed, but the text keeps its own line end.
 */
function withLine(text: string, old: string, line: string): string {
  const [was, is] = [old, line].map((text) => `\n${text.slice(0, -1)}`) as [string, string];
  return text.replace(was, () => is);
}

/** Returns the date that is the whole value of a one-line entry; undefined for any other value. */
function dateOf(entry: string): string | undefined {
  const value = /^[^:\n]+:\s*["']?([\p{N}T :.+Z-]+?)["']?\s*\n$/u.exec(entry)?.[1];
  return timeOf(value)?.kind === "date" ? value : undefined;
}

/**
 * A date or a time of day, with a key that sorts by time. Only times of one kind are comparable.
 */
type Time = { readonly kind: "date" | "clock"; readonly key: string };

const TIME =
  /^[^\p{L}\p{N}]*(?:(?<date>\p{N}{4}-\p{N}{2}-\p{N}{2}(?:[T ]\p{N}{2}:\p{N}{2})?)|(?<hour>\p{N}{1,2}):(?<rest>\p{N}{2}(?::\p{N}{2})?)(?:\s?(?<half>[ap])\.?m\b)?)/iu;

/**
 * Returns the date or time of day that begins a line, after any white space and punctuation.
 * Undefined if there is none.
 */
export function timeOf(line: string | undefined): Time | undefined {
  const { date, hour, rest, half } = TIME.exec(line ?? "")?.groups ?? {};
  if (date !== undefined) return { kind: "date", key: date };
  if (hour === undefined) return undefined;
  const past = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", key: `${String(past).padStart(2, "0")}:${rest}` };
}
