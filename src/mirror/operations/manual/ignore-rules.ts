import { join } from "node:path";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { makeStateTrouble } from "../../folder/open-local.ts";
import { createFolderRules, findExclusion, RulesError } from "../../local/ignore.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { readIgnoreLines } from "../../settings/ignore-rules.ts";
import { findLineFault } from "../../settings/settings.ts";
import { readFolderRows } from "../../state/read-beside.ts";

/**
 * Returns, in words, the rule that excludes a path; null if no rule does. Does not use the rules of
 * subfolders or of `.gitignore` files.
 * @param lines content of `.mdmirrorignore`
 */
export function testIgnoreLines(lines: string, path: string): Result<string | null> {
  const relativePath = path.replace(/^\/+|\/+$/g, "");
  if (relativePath === "" || relativePath.split("/").some((name) => name === "" || name === "." || name === ".."))
    return refusal("this is not a path below the folder", "give a path such as notes/plan.md");
  const exclusionTest = makeExclusionTest(lines);
  return exclusionTest.kind === "trouble" ? exclusionTest : ok(exclusionTest.value(relativePath));
}

function makeExclusionTest(lines: string): Result<(path: LocalPath) => string | null> {
  try {
    const rules = new Map([["", createFolderRules(null, "", { ours: lines, git: "" }, false)]]);
    return ok((path) => findExclusion(rules, path, "file")?.rule ?? null);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return refusal(error.message, "correct that line");
  }
}

/**
 * Returns the paths of synced documents that a new rule would exclude. Reads only the state file.
 * @param root real path of a linked folder
 */
export function findExcluded(root: string, pattern: string): Result<readonly LocalPath[]> {
  const patternProblem = findLineFault(pattern);
  if (patternProblem !== null) return refusal(`the rule ${patternProblem}`, "correct the rule");
  const lines = readIgnoreLines(root);
  if (lines.kind === "trouble") return lines;
  const [testBefore, testAfter] = [makeExclusionTest(lines.value), makeExclusionTest(`${lines.value}\n${pattern}`)];
  if (testBefore.kind === "trouble") return testBefore;
  if (testAfter.kind === "trouble") return testAfter;
  const folderRows = readFolderRows(join(root, MIRROR_FOLDER), "", "below");
  if (folderRows.kind === "missing") return ok([]);
  if (folderRows.kind !== "read") return makeStateTrouble(folderRows);
  const paths = folderRows.value.documents.map(({ path }) => path);
  return ok(paths.filter((path) => testBefore.value(path) === null && testAfter.value(path) !== null));
}
