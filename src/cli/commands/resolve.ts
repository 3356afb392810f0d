import { resolve as absolute } from "node:path";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import { shownName } from "../../common/shown-name.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { type Way, WAYS } from "../../mirror/operations/declared/resolve.ts";
import { readThree } from "../../mirror/operations/manual/problem-view.ts";
import { runMergeTool } from "../../mirror/operations/manual/merge-tool.ts";
import { findProblem } from "../../mirror/operations/manual/open-problem.ts";
import { resolve } from "../../mirror/operations/manual/resolve-many.ts";
import type { Args, Io } from "../command.ts";
import { findMirror } from "../find-mirror.ts";
import { locateDocuments, operationCommand } from "../operation-command.ts";

const FLAGS = (Object.keys(WAYS) as Way[]).filter((way) => way !== "merged");

export const command = operationCommand(resolve, {
  operands: { usage: "PATH… | FOLDER | 'GLOB' | [DIR]", least: 0, most: 10_000 },
  examples: [
    "mdmirror resolve plan.md --mine",
    "mdmirror resolve --all --merged-where-clean",
    "mdmirror resolve 'work/**' --theirs --dry-run",
  ],
  options: {
    ...Object.fromEntries(FLAGS.map((way) => [way, { help: WAYS[way] }])),
    merged: { value: "FILE", help: "take the content of FILE, merged by you; - reads standard input" },
    tool: { help: "merge in $MDMIRROR_MERGETOOL, or in the merge.tool that git is configured with" },
    all: { help: "everything that mdmirror conflicts lists in this folder or in DIR" },
  },
  locate(io, args) {
    const ways = FLAGS.filter((way) => args.flag(way));
    const given = [
      ...ways,
      ...(args.text("merged") === null ? [] : ["merged"]),
      ...(args.flag("tool") ? ["tool"] : []),
    ];
    if (given.length !== 1)
      return trouble(
        "usage",
        "one choice is needed",
        `choose one of ${[...FLAGS, "merged", "tool"].map((way) => `--${way}`).join(" ")}`,
      );
    const text = args.text("merged") === null ? ok(args.flag("tool") ? "" : undefined) : readMerged(io, args);
    if (text.kind === "trouble") return text;
    const place = placeOf(io, args);
    if (place.kind === "trouble") return place;
    const { root, paths } = place.value;
    return ok({ root, input: { paths, way: ways[0] ?? "merged", text: text.value } });
  },
  complete(io, args, { world }, input) {
    if (!args.flag("tool")) return ok(input);
    if (input.paths?.length !== 1) return trouble("usage", "--tool takes one path", "mdmirror conflicts");
    const subject = findProblem(world, input.paths[0]!);
    if (subject.kind === "trouble") return subject;
    const { path, conflict } = subject.value;
    if (conflict === null) return trouble("usage", `${path} is not in conflict`, `mdmirror why ${shellWord(path)}`);
    const three = readThree(world, subject.value);
    if (three.kind === "trouble") return three;
    if (input.dryRun === true) return ok(input);
    const merged = runMergeTool(path, three.value, io.env);
    return merged.kind === "trouble" ? merged : ok({ ...input, text: merged.value });
  },
  question({ way, subject }) {
    if (way !== "recreate" || subject === null) return null;
    const { path, link } = subject;
    return `mdmirror will create a new document with a new id for ${shownName(path)}, and delete the old one (${link.id}, ${shownName(link.remotePath)}) with its history on the service. Continue?`;
  },
  words: ({ way }) => ({ word: `resolved, ${way === "merged-where-clean" ? "merged" : way}` }),
});

/** Returns the folder and the paths. Without paths, the command applies to all open problems. */
function placeOf(io: Io, args: Args): Result<{ readonly root: string; readonly paths: readonly string[] | undefined }> {
  const { operands } = args;
  if (!args.flag("all")) {
    if (operands.length === 0) return trouble("usage", "no path is given", "name a path, or --all");
    return locateDocuments(io, operands);
  }
  if (operands.length > 1) return trouble("usage", "--all takes one folder at most", "mdmirror resolve --help");
  const root = findMirror(io, operands[0]);
  return root.kind === "trouble" ? root : ok({ root: root.value, paths: undefined });
}

function readMerged(io: Io, args: Args): Result<string> {
  const file = args.text("merged")!;
  try {
    return ok(io.readText(file === "-" ? file : absolute(io.cwd, file)));
  } catch (error) {
    return trouble("usage", `${file} cannot be read: ${errnoClause(error)}`, "give the file with the merged version");
  }
}
