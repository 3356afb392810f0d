/** Files of a folder with rules for files that are not synced, in gitignore syntax. */

/**
 * Ignore file of mdmirror: excluded paths stay unchanged on both sides, even if they have a record.
 */
export const IGNORE_FILE = ".mdmirrorignore";
/** Ignore file of git. If mdmirror uses these files, they exclude only paths without a record. */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
