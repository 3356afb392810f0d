import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, ok, type Result, trouble } from "../../../common/trouble.ts";
import { exclusionOf, rulesOf, RulesError } from "../../local/rules.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { IGNORE_FILE } from "../../model/rule-files.ts";
import { lineFault } from "../../settings/settings.ts";
import { readFolderRows } from "../../state/folder-rows.ts";

/** Reads the ignore rules of a linked folder, and tests a path against them. */

/**
 * Returns the lines of the folder's own `.mdmirrorignore`.
 * @param root real path of a linked folder
 */
export function readIgnoreLines(root: string): string {
  try {
    return readFileSync(join(root, IGNORE_FILE), "utf8");
  } catch (error) {
    if (errorCodeOf(error) === null) throw error;
    return "";
  }
}

/**
 * Returns the rule that excludes a path, in words; null if the path is synced. Rules of subfolders
 * and of `.gitignore` files are not tested.
 * @param lines content of `.mdmirrorignore`
 * @param path a path below the linked folder
 */
export function testIgnoreLines(lines: string, path: string): Result<string | null> {
  const relative = path.replace(/^\/+|\/+$/g, "");
  if (relative === "" || relative.split("/").some((name) => name === "" || name === "." || name === ".."))
    return trouble("usage", "this is not a path below the folder", "give a path such as notes/plan.md");
  const exclusion = exclusionsBy(lines);
  return exclusion.kind === "trouble" ? exclusion : ok(exclusion.value(relative));
}

/** Returns a function that finds the rule which excludes a path; it returns null for none. */
function exclusionsBy(lines: string): Result<(path: LocalPath) => string | null> {
  try {
    const rules = new Map([["", rulesOf(null, "", { ours: lines, git: "" }, false)]]);
    return ok((path) => exclusionOf(rules, path, "file")?.rule ?? null);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return trouble("usage", error.message, "correct that line");
  }
}

/**
 * Returns the documents that are synced now and that a new rule would exclude, from the state file.
 * @param root real path of a linked folder
 */
export function findExcluded(root: string, pattern: string): Result<readonly LocalPath[]> {
  const unfit = lineFault(pattern);
  if (unfit !== null) return trouble("usage", `the rule ${unfit}`, "correct the rule");
  const lines = readIgnoreLines(root);
  const [before, after] = [exclusionsBy(lines), exclusionsBy(`${lines}\n${pattern}`)];
  if (before.kind === "trouble") return before;
  if (after.kind === "trouble") return after;
  const found = readFolderRows(join(root, MIRROR_FOLDER), "", "below");
  const paths = found.kind === "read" ? found.value.documents.map(({ path }) => path) : [];
  return ok(paths.filter((path) => before.value(path) === null && after.value(path) !== null));
}
