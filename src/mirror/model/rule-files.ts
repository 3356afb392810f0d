/** Names of the files that exclude paths from the sync, in gitignore syntax. */

/**
 * Ignore file of mdmirror. Paths that it excludes stay unchanged on both sides, even if they have a
 * record.
 */
export const IGNORE_FILE = ".mdmirrorignore";
/** Ignore file of git. If mdmirror is set to use it, it excludes only paths without a record. */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
