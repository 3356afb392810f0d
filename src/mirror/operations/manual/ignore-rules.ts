import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf, ok, type Result, trouble } from "../../../common/trouble.ts";
import { exclusionOf, rulesOf, RulesError } from "../../local/rules.ts";
import { IGNORE_FILE } from "../../model/rule-files.ts";

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
  try {
    const rules = new Map([["", rulesOf(null, "", { ours: lines, git: "" }, false)]]);
    return ok(exclusionOf(rules, relative, "file")?.rule ?? null);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return trouble("usage", error.message, "correct that line");
  }
}
