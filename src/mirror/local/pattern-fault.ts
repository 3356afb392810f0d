/**
 * Finds lines of gitignore syntax that would cost too much. Such lines come with a folder, so
 * somebody else may have written them.
 */

/** LIMIT: characters of a line. */
const MAX_CHARACTERS = 1_000;
/**
 * LIMIT: parts `**` between two names. Each part may match any number of folders. A path below F
 * folders may therefore take F^n attempts against a pattern with n such parts.
 */
const MAX_INNER = 2;

/**
 * Returns why a line of rules may not be used, as a clause; null if it may be used. ASSUMES: a part
 * between two `/` costs one walk over a name, however many `*` it has. The package `ignore` takes
 * the first match of the text after a `*`, and never tries another. Only `**` is tried again.
 */
export function patternFault(line: string): string | null {
  if (line.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
  const inner = line.split("/").filter((part, index, all) => {
    return index > 0 && index < all.length - 1 && /^\*{2,}$/.test(part.replaceAll("\\", ""));
  });
  // Without an anchor, the pattern may begin at any folder.
  return inner.length > MAX_INNER ? `has more than ${MAX_INNER} "**" between its names` : null;
}
