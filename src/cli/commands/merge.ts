import { unwrap } from "../../common/trouble.ts";
import { resolve } from "node:path";
import { plural } from "../../common/quantities.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { explainMerge } from "../../markdown/merge/explain.ts";
import { findOrigins } from "../../markdown/merge/origin.ts";
import {
  mergeAsGit,
  mergeWithMarkers,
  readThreeFiles,
  writeMerged,
} from "../../mirror/operations/history/merge-files.ts";
import { formatOrigins } from "../show-versions.ts";
import { formatJsonLine } from "../text.ts";

type MergePaths = [base: string, mine: string, theirs: string];

export const command: Command = {
  about: [
    "Merges as a sync does. Without an option it writes the result into MINE, as git merge-file does. Refuses files that are not UTF-8.",
    "As git's merge driver, with a line in .gitattributes: *.md merge=mdmirror, and this configuration:",
    "  git config merge.mdmirror.driver 'mdmirror merge --driver --marker-size=%L --path=%P %O %A %B'",
    "Exit codes: 0 merged, 3 conflict (the result has git's markers); as a driver 1, as git expects.",
  ],
  examples: ["mdmirror merge base.md mine.md theirs.md --print"],
  options: {
    print: { help: "print the result and write nothing", short: "p" },
    origins: {
      help: "print each line of a clean merge with the side it came from: M (mine), T (theirs) or B (both); write nothing",
    },
    explain: {
      help: "print as JSON the rule that made each line of a clean merge and the source of each word; write nothing",
    },
    driver: { help: "run as git's merge driver: write into MINE and print only errors" },
    "marker-size": {
      value: "N",
      range: [1, 1_000],
      help: "for --driver: length of a conflict marker, git's %L (default: 7)",
    },
    path: { value: "PATH", help: "for --driver: file name for messages, git's %P" },
  },
  operands: { usage: "BASE MINE THEIRS", least: 3, most: 3 },
  async run(io, args) {
    const paths = args.operands.map((path) => resolve(io.cwd, path)) as MergePaths;
    if (args.flag("driver")) return runMergeDriver(io, args, paths);
    const texts = unwrap(readThreeFiles(paths));
    const { base, mine, theirs } = texts;
    const { text, conflicts } = mergeWithMarkers(texts);
    const isClean = conflicts === 0;
    const isShown = ["print", "origins", "explain"].some((name) => args.flag(name));
    if (isClean && args.flag("origins"))
      for (const line of formatOrigins(io, findOrigins(base, mine, theirs, text))) io.out(line);
    else if (isClean && args.flag("explain")) io.out(formatJsonLine(explainMerge(base, mine, theirs, text)));
    else if (isShown) io.text(text.replace(/[^\n]$/, "$&\n"));
    else {
      unwrap(writeMerged(paths[1], text));
      io.out(isClean ? "merged" : plural(conflicts, "conflict"));
    }
    return isClean ? EXIT.inSync : EXIT.attention;
  },
};

const CONFLICT_FOR_GIT: ExitCode = 1;

/**
 * Works as a merge driver of git: overwrites the second file of the command line with the result.
 * git passes the length of conflict markers.
 */
async function runMergeDriver(io: Io, args: Args, paths: MergePaths): Promise<ExitCode> {
  const markerSize = args.number("marker-size") ?? 7;
  const readResult = readThreeFiles(paths);
  if (readResult.kind === "trouble" && readResult.trouble.code === "not-utf-8") {
    const { isClean, what } = mergeAsGit(paths, markerSize, io.env);
    io.err(`mdmirror: ${args.text("path") ?? args.operands[1]!} is not UTF-8 text: ${what}`);
    return isClean ? EXIT.inSync : CONFLICT_FOR_GIT;
  }
  const { text, conflicts } = mergeWithMarkers(unwrap(readResult), markerSize);
  unwrap(writeMerged(paths[1], text));
  return conflicts === 0 ? EXIT.inSync : CONFLICT_FOR_GIT;
}
