import { readFileSync, writeFileSync } from "node:fs";
import { type Origin, originsOf } from "../core/merge/origin.ts";
import { mergeText } from "../core/merge.ts";
import { markedMerge } from "./conflicts.ts";
import { errnoClause, ok, type Result, trouble } from "./trouble.ts";

/** Three files merged: the text, with git's markers where it is no clean merge; and where each line of a clean one is from. */
export type MergedFiles = { readonly text: string; readonly conflicts: number; readonly origins: readonly Origin[] };

/** Merges three files, by absolute paths, as the mirror would. Writes nothing. */
export function mergeFiles(basePath: string, minePath: string, theirsPath: string): Result<MergedFiles> {
  const texts: string[] = [];
  for (const path of [basePath, minePath, theirsPath]) {
    try {
      texts.push(readFileSync(path, "utf8"));
    } catch (error) {
      return trouble("usage", `${path} cannot be read: ${errnoClause(error)}`, "give three text files");
    }
  }
  const [base, mine, theirs] = texts as [string, string, string];
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") {
    return ok({ text: merged.text, conflicts: 0, origins: originsOf(base, mine, theirs, merged.text) });
  }
  return ok({ text: markedMerge({ base, mine, theirs }), conflicts: merged.hunks.length, origins: [] });
}

/** Puts a merged text in place of a file: git gives a merge driver a file of its own for it. */
export function writeMerged(path: string, text: string): Result<null> {
  try {
    writeFileSync(path, text);
    return ok(null);
  } catch (error) {
    return trouble("usage", `${path} cannot be written: ${errnoClause(error)}`, "try again with -p");
  }
}
