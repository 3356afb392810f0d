/** Tests the rules in the ignore file of a linked folder. */

import { join } from "node:path";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { stateTrouble } from "../../folder/open-state.ts";
import { exclusionOf, rulesOf, RulesError } from "../../local/rules.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { readIgnoreLines } from "../../settings/ignore-lines.ts";
import { lineFault } from "../../settings/settings.ts";
import { readFolderRows } from "../../state/folder-rows.ts";

/**
 * Returns the rule that excludes a path, in words; null if no rule does. Does not know the rules of
 * subfolders and of `.gitignore` files.
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

/**
 * Returns a function that returns the rule which excludes a path, in words; null if no rule does.
 */
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
 * Returns the paths of synced documents that a new rule would exclude. Reads only the state file.
 * @param root real path of a linked folder
 */
export function findExcluded(root: string, pattern: string): Result<readonly LocalPath[]> {
  const unfit = lineFault(pattern);
  if (unfit !== null) return trouble("usage", `the rule ${unfit}`, "correct the rule");
  const lines = readIgnoreLines(root);
  if (lines.kind === "trouble") return lines;
  const [before, after] = [exclusionsBy(lines.value), exclusionsBy(`${lines.value}\n${pattern}`)];
  if (before.kind === "trouble") return before;
  if (after.kind === "trouble") return after;
  const found = readFolderRows(join(root, MIRROR_FOLDER), "", "below");
  if (found.kind === "missing") return ok([]);
  if (found.kind !== "read") return stateTrouble(found);
  const paths = found.value.documents.map(({ path }) => path);
  return ok(paths.filter((path) => before.value(path) === null && after.value(path) !== null));
}
