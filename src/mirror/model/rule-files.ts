/** Names of the files that exclude paths from the sync, in gitignore syntax. */

/**
 * Paths that mdmirror's ignore file excludes stay unchanged on both sides, even if they have a
 * record.
 */
export const IGNORE_FILE = ".mdmirrorignore";
/** If mdmirror is set to use git's ignore file, it excludes only paths without a record. */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
