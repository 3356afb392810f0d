/** Merges three files, for `mdmirror merge` and as git's merge driver. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { omitKey } from "../../settings/key.ts";
import { DEFAULT_MARKER_SIZE, markConflicts, type ThreeVersions } from "../../../markdown/merge/marked.ts";
import { errnoClause, ok, refusal, type Result } from "../../../common/trouble.ts";

type ThreePaths = readonly [base: string, mine: string, theirs: string];

/**
 * Reads three files. Refuses a file that is not UTF-8 or has a NUL, because the written result
 * would have other bytes.
 */
export function readThreeFiles(paths: ThreePaths): Result<ThreeVersions> {
  const contents: string[] = [];
  for (const path of paths) {
    try {
      const content = decodeText(readFileSync(path));
      if (content === null) return refusal(`${path} is not UTF-8 text`, "give three text files in UTF-8", "not-utf-8");
      contents.push(content);
    } catch (error) {
      return refusal(`${path} cannot be read: ${errnoClause(error)}`, "give three text files");
    }
  }
  const [base, mine, theirs] = contents as [string, string, string];
  return ok({ base, mine, theirs });
}

/** Returns the text with its byte order mark; null if the bytes are not UTF-8 or have a NUL. */
function decodeText(bytes: Buffer): string | null {
  const decodedText = bytes.toString("utf8");
  return bytes.includes(0) || !Buffer.from(decodedText, "utf8").equals(bytes) ? null : decodedText;
}

/** Merges three versions like a sync, and puts git's markers around conflicts. */
export function mergeWithMarkers(
  texts: ThreeVersions,
  markerSize: number = DEFAULT_MARKER_SIZE,
): { readonly text: string; readonly conflicts: number } {
  const mergeResult = mergeText(texts.base, texts.mine, texts.theirs);
  if (mergeResult.kind === "clean") return { text: mergeResult.text, conflicts: 0 };
  return { text: markConflicts(texts, markerSize), conflicts: mergeResult.hunks.length };
}

export function writeMerged(path: string, text: string): Result<null> {
  try {
    writeFileSync(path, text);
    return ok(null);
  } catch (error) {
    return refusal(`${path} cannot be written: ${errnoClause(error)}`, "try again with -p");
  }
}

/**
 * Merges three files line by line with git, because mdmirror merges only UTF-8. git writes the
 * result into the second file. If git fails, that file stays unchanged.
 * @returns true if no conflict is left, and a clause about the result
 */
export function mergeAsGit(
  [base, mine, theirs]: ThreePaths,
  markerSize: number,
  env: Readonly<Record<string, string | undefined>>,
): { readonly isClean: boolean; readonly what: string } {
  const labels = ["-L", "mine", "-L", "base", "-L", "theirs"];
  const options = ["merge-file", "--quiet", `--marker-size=${markerSize}`, ...labels];
  const { status } = spawnSync("git", [...options, mine, base, theirs], { stdio: "ignore", env: omitKey(env) });
  if (status === 0) return { isClean: true, what: "merged by lines, as git does" };
  // The exit code of git is the number of conflicts, or 255 if git has written nothing.
  const isMarked = status !== null && status <= 127;
  return {
    isClean: false,
    what: isMarked ? "its conflicts are marked as git does" : "it does not merge, and is unchanged",
  };
}
