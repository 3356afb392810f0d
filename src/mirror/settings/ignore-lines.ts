import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Digest, digestOf } from "../../contract/digest.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { IGNORE_FILE } from "../model/rule-files.ts";
import { errorCodeOf, errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";

/**
 * Adds lines at the end of the folder's `.mdmirrorignore`; existing lines stay.
 * @param root real path
 */
export function addIgnoreLines(root: string, patterns: readonly string[]): Result<readonly string[]> {
  const path = join(root, IGNORE_FILE);
  try {
    const before = readRules(path);
    const had = new Set(before.split(/\r?\n/));
    const added = [...new Set(patterns)].filter((pattern) => !had.has(pattern));
    if (added.length === 0) return ok([]);
    const start = before === "" || before.endsWith("\n") ? "" : "\n";
    append(path, `${start}${added.join("\n")}\n`);
    return ok(added);
  } catch (error) {
    return notWritten(path, error);
  }
}

/**
 * Removes one line of the folder's `.mdmirrorignore`, but only if the file still has the content
 * that the user saw.
 * @param root real path
 * @param line number of the line, from 1
 * @param seen digest of the content
 * @returns false if the file changed, or has no such line
 */
export function removeIgnoreLine(root: string, line: number, seen: Digest): Result<boolean> {
  const path = join(root, IGNORE_FILE);
  try {
    const before = readRules(path);
    const lines = before.split("\n");
    if (digestOf(before) !== seen || line < 1 || line > lines.length) return ok(false);
    replace(path, lines.toSpliced(line - 1, 1).join("\n"));
    return ok(true);
  } catch (error) {
    return notWritten(path, error);
  }
}

/** @throws if the error has no code, and so does not come from the disk */
function notWritten(path: string, error: unknown): Result<never> {
  if (errorCodeOf(error) === null) throw error;
  return trouble(
    "usage",
    `${path} cannot be written: ${errnoClause(error)}`,
    "make the file writable, or change the rules yourself",
    { code: errorCodeOf(error) },
  );
}

function readRules(path: string): string {
  try {
    return Buffer.from(createNodeFs().readFile(path).bytes).toString("utf8");
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    return "";
  }
}

/** Replaces a file by a rename, so that a crash leaves the old or the new rules. */
function replace(path: string, text: string): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  const fd = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL, 0o666);
  try {
    fchmodSync(fd, statSync(path).mode & 0o777);
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, path);
}

/** Appends to a file. A symbolic link is not followed, because anybody may have made the folder. */
function append(path: string, text: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o666);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
