import { readFrontMatterOfFile } from "./front-matter.ts";

/**
 * Matches keys of front matter whose date says when work was done last, or when it is due. If both
 * sides changed such a date, the later date is used.
 */
const LATEST_DATE_KEY =
  /^(?:date|due|due[ _-]?date|deadline|.*(?:update|modif|edit|change|visit|review|sync|seen|lastmod).*)$/i;

/**
 * Returns both sides, changed in one respect: if each side changed the date of a key that
 * `LATEST_DATE_KEY` matches, both get the later date. Each side keeps its line ends. The merge
 * handles all other changes.
 */
export function useLaterDates(base: string, local: string, remote: string): readonly [local: string, remote: string] {
  const [b, l, r] = [base, local, remote].map(readFrontMatterOfFile);
  if (l === undefined || r === undefined) return [local, remote];
  let [mine, theirs] = [local, remote];
  for (const [key, entry] of l.entries) {
    const remoteEntry = r.entries.get(key);
    if (
      !LATEST_DATE_KEY.test(key) ||
      remoteEntry === undefined ||
      !areDifferentChanges(b?.entries.get(key), entry, remoteEntry)
    )
      continue;
    const order = compareDates(entry, remoteEntry);
    if (order > 0) theirs = replaceLine(theirs, remoteEntry, entry);
    else if (order < 0) mine = replaceLine(mine, entry, remoteEntry);
  }
  return [mine, theirs];
}

function areDifferentChanges(before: string | undefined, mine: string, theirs: string): boolean {
  return mine !== theirs && mine !== before && theirs !== before;
}

/**
 * Returns 1 if the first entry has the later date, -1 if the second entry has it. Returns NaN if
 * the dates cannot be compared.
 */
function compareDates(one: string, other: string): number {
  const [mine, theirs] = [readDate(one), readDate(other)];
  if (mine === undefined || theirs === undefined || mine.length !== theirs.length) return Number.NaN;
  return mine > theirs ? 1 : -1;
}

/**
 * Both lines end with a line feed. The replaced line keeps the line end that it has in the
 * document.
 */
function replaceLine(text: string, old: string, line: string): string {
  const [was, is] = [old, line].map((text) => `\n${text.slice(0, -1)}`) as [string, string];
  return text.replace(was, () => is);
}

/** Returns the date in an entry; undefined if the value of the entry contains anything else. */
function readDate(entry: string): string | undefined {
  const value = /^[^:\n]+:\s*["']?([\p{N}T :.+Z-]+?)["']?\s*\n$/u.exec(entry)?.[1];
  return readTime(value)?.kind === "date" ? value : undefined;
}

/**
 * `key`: string by which dates are sorted, or times of day. Only keys of one `kind` can be
 * compared.
 */
type DateOrTime = { readonly kind: "date" | "clock"; readonly key: string };

const DATE_OR_TIME =
  /^[^\p{L}\p{N}]*(?:(?<date>\p{N}{4}-\p{N}{2}-\p{N}{2}(?:[T ]\p{N}{2}:\p{N}{2})?)|(?<hour>\p{N}{1,2}):(?<rest>\p{N}{2}(?::\p{N}{2})?)(?:\s?(?<half>[ap])\.?m\b)?)/iu;

/**
 * Returns the date or time of day at the beginning of a line; white space and punctuation may
 * precede it. Returns undefined if the line begins otherwise.
 */
export function readTime(line: string | undefined): DateOrTime | undefined {
  const { date, hour, rest, half } = DATE_OR_TIME.exec(line ?? "")?.groups ?? {};
  if (date !== undefined) return { kind: "date", key: date };
  if (hour === undefined) return undefined;
  const past = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", key: `${String(past).padStart(2, "0")}:${rest}` };
}
