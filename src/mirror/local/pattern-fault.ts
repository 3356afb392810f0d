/**
 * Refuses patterns that would take too long to match. The ignore files of a folder may come from
 * another person.
 */

/**
 * LIMIT: number of characters in a line of an ignore file, because the time of a match grows with
 * the length of the line.
 */
const MAX_LINE_CHARACTERS = 1_000;
/**
 * LIMIT: number of `**` between two names of a pattern. Each `**` may match any number of folders,
 * so a match of n of them with a path below F folders may take F^n attempts.
 */
const MAX_INNER_STARS = 2;

/**
 * Returns the reason to refuse a line of an ignore file, as the end of a sentence that begins with
 * the line number. Returns null for a line without a fault.
 * ASSUMES: the package `ignore` reads a name once, however many `*` a pattern has between two
 * slashes. After each `*`, the package takes the first match and does not go back, except for `**`.
 */
export function findPatternFault(line: string): string | null {
  if (line.length > MAX_LINE_CHARACTERS) return `has more than ${MAX_LINE_CHARACTERS} characters`;
  const innerParts = line.split("/").filter((part, index, all) => {
    return index > 0 && index < all.length - 1 && /^\*{2,}$/.test(part.replaceAll("\\", ""));
  });
  return innerParts.length > MAX_INNER_STARS ? `has more than ${MAX_INNER_STARS} "**" between its names` : null;
}
