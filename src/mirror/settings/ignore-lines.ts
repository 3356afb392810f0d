import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
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
    if (errorCodeOf(error) === null) throw error;
    return trouble(
      "usage",
      `${path} cannot be written: ${errnoClause(error)}`,
      "make the file writable, or add the patterns yourself",
      { code: errorCodeOf(error) },
    );
  }
}

function readRules(path: string): string {
  try {
    return Buffer.from(createNodeFs().readFile(path).bytes).toString("utf8");
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    return "";
  }
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
