import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Digest, digestOf } from "../../contract/digest.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { IGNORE_FILE } from "../model/mirror-folder.ts";
import { readErrorCode, ok, type Result, toSystemTrouble } from "../../common/trouble.ts";

/**
 * Adds lines at the end of the folder's `.mdmirrorignore`.
 * @param root real path
 */
export function addIgnoreLines(root: string, patterns: readonly string[]): Result<readonly string[]> {
  const path = join(root, IGNORE_FILE);
  try {
    const bytes = readBytes(path);
    const existingText = bytes.toString("utf8");
    const existingLines = new Set(existingText.split(/\r?\n/));
    const addedPatterns = [...new Set(patterns)].filter((pattern) => !existingLines.has(pattern));
    if (addedPatterns.length === 0) return ok([]);
    const start = existingText === "" || existingText.endsWith("\n") ? "" : "\n";
    replaceFile(path, Buffer.concat([bytes, Buffer.from(`${start}${addedPatterns.join("\n")}\n`)]));
    return ok(addedPatterns);
  } catch (error) {
    return reportUnwritten(path, error);
  }
}

/**
 * Removes one line of the folder's `.mdmirrorignore`.
 * @param root real path
 * @param line number of the line, from 1
 * @param seen digest of the content that the user saw
 * @returns false if the file has changed since, or has no such line
 */
export function removeIgnoreLine(root: string, line: number, seen: Digest): Result<boolean> {
  const path = join(root, IGNORE_FILE);
  try {
    const existingBytes = readBytes(path);
    // In Latin-1, each byte is one character, so that bytes which are not UTF-8 stay the same.
    const lines = existingBytes.toString("latin1").split("\n");
    if (digestOf(existingBytes.toString("utf8")) !== seen || line < 1 || line > lines.length) return ok(false);
    replaceFile(path, Buffer.from(lines.toSpliced(line - 1, 1).join("\n"), "latin1"));
    return ok(true);
  } catch (error) {
    return reportUnwritten(path, error);
  }
}

/** @throws the error itself if it has no code, because it is then no error of the disk */
function reportUnwritten(path: string, error: unknown): Result<never> {
  return toSystemTrouble(error, `${path} cannot be written`, "make the file writable, or change the rules yourself");
}

/**
 * Returns the content of the linked folder's own `.mdmirrorignore`; "" if there is none.
 * @param root real path of a linked folder
 */
export function readIgnoreLines(root: string): Result<string> {
  const path = join(root, IGNORE_FILE);
  try {
    return ok(readBytes(path).toString("utf8"));
  } catch (error) {
    return toSystemTrouble(error, `${path} cannot be read`, "make it a file that you can read");
  }
}

function readBytes(path: string): Buffer {
  try {
    return Buffer.from(createNodeFs().readFile(path).bytes);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

/**
 * Replaces a file by a rename. After a crash, the file has either the old rules or the new rules.
 * Keeps the mode of the file. Does not follow a symbolic link, because another person may have
 * created the folder.
 */
function replaceFile(path: string, content: Buffer): void {
  const newPath = `${path}.new`;
  const existingStat = lstatSync(path, { throwIfNoEntry: false });
  rmSync(newPath, { force: true });
  writeFileSync(newPath, content, { flag: "wx", flush: true });
  if (existingStat !== undefined) chmodSync(newPath, existingStat.mode & 0o777);
  renameSync(newPath, path);
}
