import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { type Explanation, explainMerge } from "../../../markdown/merge/explain.ts";
import { type Origin, originsOf } from "../../../markdown/merge/origin.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { withoutKey } from "../../settings/key.ts";
import { markConflicts, DEFAULT_MARKER_SIZE } from "../../../markdown/merge/marked.ts";
import { errnoClause, ok, type Result, trouble } from "../../../common/trouble.ts";

/**
 * The merge of three files: its content, with git's markers around conflicts, and the origin of
 * each line of a clean merge.
 */
type MergedFiles = { readonly text: string; readonly conflicts: number; readonly origins: readonly Origin[] };

/** Absolute paths of the three files, in the order base, mine, theirs. */
type ThreePaths = readonly [base: string, mine: string, theirs: string];

/** Merges three files as a sync would. Writes nothing, and refuses files that are not UTF-8. */
export function mergeFiles(paths: ThreePaths): Result<MergedFiles> {
  const read = readFiles(paths);
  return read.kind === "trouble" ? read : ok(mergeTexts(read.value, DEFAULT_MARKER_SIZE));
}

/**
 * Explains the merge of three files line by line; null if there are conflicts, or the files differ
 * too much.
 */
export function explainFiles(paths: ThreePaths): Result<Explanation | null> {
  const read = readFiles(paths);
  if (read.kind === "trouble") return read;
  const [base, mine, theirs] = read.value;
  const merged = mergeText(base, mine, theirs);
  return ok(merged.kind === "clean" ? explainMerge(base, mine, theirs, merged.text) : null);
}

type ThreeVersions = readonly [base: string, mine: string, theirs: string];

/**
 * Reads three files. Refuses a file that is not UTF-8 or has NULs, because decoding and writing
 * would change it (code `not-utf-8`).
 */
function readFiles(paths: ThreePaths): Result<ThreeVersions> {
  const texts: string[] = [];
  for (const path of paths) {
    try {
      const text = textOf(readFileSync(path));
      if (text === null)
        return trouble("usage", `${path} is not UTF-8 text`, "give three text files in UTF-8", { code: "not-utf-8" });
      texts.push(text);
    } catch (error) {
      return trouble("usage", `${path} cannot be read: ${errnoClause(error)}`, "give three text files");
    }
  }
  return ok(texts as unknown as ThreeVersions);
}

/**
 * Returns the text of a file; null for content that is not UTF-8 or has a NUL. A byte order mark
 * stays.
 */
function textOf(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return bytes.includes(0) || !Buffer.from(text, "utf8").equals(bytes) ? null : text;
}

function mergeTexts([base, mine, theirs]: ThreeVersions, markerSize: number): MergedFiles {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean")
    return { text: merged.text, conflicts: 0, origins: originsOf(base, mine, theirs, merged.text) };
  return { text: markConflicts({ base, mine, theirs }, markerSize), conflicts: merged.hunks.length, origins: [] };
}

/** Replaces a file by the merged content. git passes a merge driver a file for this. */
export function writeMerged(path: string, text: string): Result<null> {
  try {
    writeFileSync(path, text);
    return ok(null);
  } catch (error) {
    return trouble("usage", `${path} cannot be written: ${errnoClause(error)}`, "try again with -p");
  }
}

/** Result of a merge for git. `note`: a message for the user. */
type DriverEnd = { readonly clean: boolean; readonly note: string | null };

/** Arguments that git gives the driver. `name`: the file's name for messages. */
type GitCall = {
  readonly markerSize: number;
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Merges as git's merge driver: writes the result into the second file, with markers of git's size.
 * Files that are not UTF-8 are left to git's merge of lines. If that fails too, the file stays
 * unchanged.
 */
export function mergeForGit(paths: ThreePaths, call: GitCall): Result<DriverEnd> {
  const read = readFiles(paths);
  if (read.kind === "trouble") return read.trouble.code === "not-utf-8" ? ok(mergeAsGit(paths, call)) : read;
  const { text, conflicts } = mergeTexts(read.value, call.markerSize);
  const written = writeMerged(paths[1], text);
  return written.kind === "trouble" ? written : ok({ clean: conflicts === 0, note: null });
}

function mergeAsGit([base, mine, theirs]: ThreePaths, { markerSize, name, env }: GitCall): DriverEnd {
  const labels = ["-L", "mine", "-L", "base", "-L", "theirs"];
  const options = ["merge-file", "--quiet", `--marker-size=${markerSize}`, ...labels];
  const { status } = spawnSync("git", [...options, mine, base, theirs], {
    stdio: "ignore",
    env: withoutKey(env),
  });
  if (status === 0) return { clean: true, note: `${name} is not UTF-8 text: merged by lines, as git does` };
  // The exit code is the number of conflicts; 255 means that nothing was merged or written.
  const marked = status !== null && status <= 127;
  const outcome = marked ? "its conflicts are marked as git does" : "it does not merge, and is unchanged";
  return { clean: false, note: `${name} is not UTF-8 text: ${outcome}` };
}
