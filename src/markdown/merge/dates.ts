import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { normalise } from "./style.ts";

/**
 * Keys whose date says when something was last done, or until when it is to be done: of two, the
 * later one is taken.
 */
const LATEST = /^(?:date|due|due[ _-]?date|deadline|.*(?:update|modif|edit|change|visit|review|sync|seen|lastmod).*)$/i;

/**
 * The two sides with the later date in both where both changed the same date of when something was
 * last done or is due. What one side alone changed, and any other date, is left to the merge, as
 * are the line ends of each side.
 */
export function settleDates(base: string, local: string, remote: string): readonly [local: string, remote: string] {
  const [b, l, r] = [base, local, remote].map(readDressed);
  if (l === undefined || r === undefined) return [local, remote];
  let [mine, theirs] = [local, remote];
  for (const [key, entry] of l.entries) {
    const other = r.entries.get(key);
    if (!LATEST.test(key) || other === undefined || !areTwoChanges(b?.entries.get(key), entry, other)) continue;
    const order = compareDates(entry, other);
    if (order > 0) theirs = withLine(theirs, other, entry);
    else if (order < 0) mine = withLine(mine, entry, other);
  }
  return [mine, theirs];
}

/** Whether both sides changed an entry, each in its own way. */
function areTwoChanges(was: string | undefined, mine: string, theirs: string): boolean {
  return mine !== theirs && mine !== was && theirs !== was;
}

/** Which of two entries has the later date, by its sign; NaN where they do not compare. */
function compareDates(one: string, other: string): number {
  const [mine, theirs] = [dateOf(one), dateOf(other)];
  if (mine === undefined || theirs === undefined || mine.length !== theirs.length) return Number.NaN;
  return mine > theirs ? 1 : -1;
}

/** Front matter of a text with whatever line ends and mark. */
function readDressed(text: string): FrontMatter | undefined {
  return /^\uFEFF?---\r?\n/.test(text) ? readFrontMatter(normalise(text, false)) : undefined;
}

/**
 * A text with one line of its front matter replaced, both given with a line feed; the line end
 * stays as it is there.
 */
function withLine(text: string, old: string, line: string): string {
  const [was, is] = [old, line].map((one) => `\n${one.slice(0, -1)}`) as [string, string];
  return text.replace(was, () => is);
}

/** The date that an entry of one line consists of. */
function dateOf(entry: string): string | undefined {
  const value = /^[^:\n]+:\s*["']?([\p{N}T :.+Z-]+?)["']?\s*\n$/u.exec(entry)?.[1];
  return timeOf(value)?.kind === "date" ? value : undefined;
}

/** A date, or a time of day, as text that sorts by time; only times of one kind compare. */
type Time = { readonly kind: "date" | "clock"; readonly key: string };

const TIME =
  /^[^\p{L}\p{N}]*(?:(?<date>\p{N}{4}-\p{N}{2}-\p{N}{2}(?:[T ]\p{N}{2}:\p{N}{2})?)|(?<hour>\p{N}{1,2}):(?<rest>\p{N}{2}(?::\p{N}{2})?)(?:\s?(?<half>[ap])\.?m\b)?)/iu;

/**
 * The time that a line begins with, behind its marks; undefined where it begins with anything else.
 */
export function timeOf(line: string | undefined): Time | undefined {
  const { date, hour, rest, half } = TIME.exec(line ?? "")?.groups ?? {};
  if (date !== undefined) return { kind: "date", key: date };
  if (hour === undefined) return undefined;
  const past = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", key: `${String(past).padStart(2, "0")}:${rest}` };
}
