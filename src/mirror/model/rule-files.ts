/** Files of a folder that say what of it stays local, in gitignore syntax. */

/** The mirror's own: what it excludes is left alone on both sides, also what is linked. */
export const IGNORE_FILE = ".mdmirrorignore";
/** git's, where the mirror follows them: they leave out what is not linked. */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
