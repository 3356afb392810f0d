import { resolve as absolute } from "node:path";
import { errnoClause, refuse, unwrap } from "../../common/trouble.ts";
import { shownName } from "../../common/shown-words.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { type ResolutionWay, RESOLUTION_WAYS } from "../../mirror/operations/declared/writes.ts";
import { findProblem, readThreeVersions } from "../../mirror/operations/manual/problem.ts";
import { runMergeTool } from "../../mirror/operations/manual/merge-tool.ts";
import { resolve } from "../../mirror/operations/manual/resolve.ts";
import type { Args, Io } from "../command.ts";
import { findMirror, locatePaths } from "../find-mirror.ts";
import { makeOperationCommand } from "../operation-command.ts";

const WAY_FLAGS = (Object.keys(RESOLUTION_WAYS) as ResolutionWay[]).filter((way) => way !== "merged");

export const command = makeOperationCommand(resolve, {
  operands: { usage: "PATH… | FOLDER | 'GLOB' | [DIR]", least: 0, most: 10_000 },
  examples: [
    "mdmirror resolve plan.md --mine",
    "mdmirror resolve --all --merged-where-clean",
    "mdmirror resolve 'work/**' --theirs --dry-run",
  ],
  options: {
    ...Object.fromEntries(WAY_FLAGS.map((way) => [way, { help: RESOLUTION_WAYS[way] }])),
    merged: { value: "FILE", help: "take the content of FILE, merged by you; - reads standard input" },
    tool: { help: "merge in $MDMIRROR_MERGETOOL, or in the merge.tool that git is configured with" },
    all: { help: "everything that mdmirror conflicts lists in this folder or in DIR" },
  },
  locate(io, args) {
    const ways = WAY_FLAGS.filter((way) => args.flag(way));
    const file = args.text("merged");
    const choices = [...ways, ...(file === null ? [] : ["merged"]), ...(args.flag("tool") ? ["tool"] : [])];
    if (choices.length !== 1)
      return refuse(
        "one choice is needed",
        `choose one of ${[...WAY_FLAGS, "merged", "tool"].map((way) => `--${way}`).join(" ")}`,
      );
    const mergedText = file === null ? (args.flag("tool") ? "" : undefined) : readMerged(io, file);
    const { root, paths } = locateProblems(io, args);
    return { root, input: { paths, way: ways[0] ?? "merged", text: mergedText } };
  },
  complete(io, args, { world }, input) {
    if (!args.flag("tool")) return input;
    if (input.paths?.length !== 1) return refuse("--tool takes one path", "mdmirror conflicts");
    const problem = unwrap(findProblem(world, input.paths[0]!));
    const { path, conflict } = problem;
    if (conflict === null) return refuse(`${path} is not in conflict`, `mdmirror why ${quoteForShell(path)}`);
    const contents = unwrap(readThreeVersions(world, problem));
    return input.dryRun === true ? input : { ...input, text: unwrap(runMergeTool(path, contents, io.env)) };
  },
  question({ way, problem }) {
    if (way !== "recreate" || problem === null) return null;
    const { path, record } = problem;
    return `mdmirror will create a new document with a new id for ${shownName(path)}, and delete the old one (${record.id}, ${shownName(record.remotePath)}) with its history on the service. Continue?`;
  },
  words: ({ way }) => ({ word: `resolved, ${way === "merged-where-clean" ? "merged" : way}` }),
});

/**
 * Returns the linked folder and the paths of the command. With `--all`, the paths are undefined,
 * and the command resolves every open problem.
 */
function locateProblems(io: Io, args: Args): { readonly root: string; readonly paths: readonly string[] | undefined } {
  const { operands } = args;
  if (!args.flag("all")) {
    if (operands.length === 0) return refuse("no path is given", "name a path, or --all");
    return locatePaths(io, operands);
  }
  if (operands.length > 1) return refuse("--all takes one folder at most", "mdmirror resolve --help");
  return { root: findMirror(io, operands[0]), paths: undefined };
}

function readMerged(io: Io, file: string): string {
  try {
    return io.readText(file === "-" ? file : absolute(io.cwd, file));
  } catch (error) {
    return refuse(`${file} cannot be read: ${errnoClause(error)}`, "give the file with the merged version");
  }
}
