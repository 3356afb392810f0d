/** Names of the files that exclude paths from the sync, in gitignore syntax. */

/** mdmirror's ignore file. Paths that it excludes stay unchanged, even if they have a record. */
export const IGNORE_FILE = ".mdmirrorignore";
/**
 * Git's ignore file, if the user has set mdmirror to use it. It excludes only paths without a
 * record.
 */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
