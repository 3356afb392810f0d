import { resolve } from "node:path";
import type { OpenedMirror } from "../../mirror/folder/open-mirror.ts";
import type { Resolution } from "../../mirror/operations/manual/resolve.ts";
import type { OpenProblem } from "../../mirror/operations/manual/open-problem.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { BulkResolution } from "../../mirror/operations/manual/resolve-many.ts";
import type { LocalPath } from "../../contract/path.ts";
import { findMirror } from "../find-mirror.ts";
import { locateAll } from "../locate-all.ts";
import { agrees, REACH_OPTIONS, reachOf, syncAfter, useMirror } from "../use-mirror.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { isOneProblem } from "../../mirror/operations/manual/resolve-many.ts";
import { resolveSeveral } from "../resolve-many.ts";
import { resolveProblem } from "../../mirror/operations/manual/resolve.ts";
import { findProblem } from "../../mirror/operations/manual/open-problem.ts";
import { readThree } from "../../mirror/operations/manual/conflicts.ts";
import { runMergeTool } from "../../mirror/operations/manual/merge-tool.ts";

const WAYS = ["mine", "theirs", "merged", "merged-where-clean", "tool", "delete", "keep", "recreate"] as const;
/** The choices that apply to several paths. */
const MANY_WAYS: readonly string[] = ["mine", "theirs", "merged-where-clean"] satisfies readonly BulkResolution[];

export const command: Command = {
  usage: "resolve PATH… | FOLDER | 'GLOB' | --all [DIR] --mine | --theirs | … [--dry-run] [--no-sync] [--json]",
  about: [
    "Applies your choice, then syncs. Mine is the local version, theirs the version on the service. The version that you do not choose stays in the history and in .mdmirror/trash.",
    "You can also decide in a file manager. Delete the (theirs) file to keep your version. Move it over the document to take the other version.",
    "For many documents: --all takes everything that mdmirror conflicts lists; a folder or a quoted glob (** matches any folder) takes the part below it. This works with --mine, --theirs and --merged-where-clean, counts as one run, and one mdmirror undo takes it back. The command lists the documents that it cannot resolve, and leaves them unchanged.",
  ],
  examples: [
    "mdmirror resolve plan.md --mine",
    "mdmirror resolve --all --merged-where-clean",
    "mdmirror resolve 'work/**' --theirs --dry-run",
  ],
  options: {
    mine: { help: "keep the local version and upload it (in review: submit it again; refused: try again)" },
    theirs: { help: "take the version on the service (in review or refused: drop the local edit)" },
    merged: { value: "FILE", help: "take the content of FILE, merged by you; - reads standard input" },
    "merged-where-clean": {
      help: "merge both versions where they merge cleanly; leave the others",
    },
    all: { help: "everything that mdmirror conflicts lists in this folder or in DIR" },
    "dry-run": { help: "show what it would do and write nothing" },
    tool: { help: "merge in $MDMIRROR_MERGETOOL, or in the merge.tool that git is configured with" },
    delete: { help: "for a blocked document: delete it" },
    keep: { help: "for a blocked document: keep it" },
    recreate: {
      help: "for a move to the root that the service refuses: create a new document in the root and delete the old one",
    },
    force: { help: "accept content with conflict markers" },
    yes: { help: "do not ask", short: "y" },
    "no-sync": { help: "do not sync afterwards" },
    json: { help: "print one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 10_000 },
  async run(io, args) {
    const given = WAYS.filter((way) => (way === "merged" ? args.text(way) !== null : args.flag(way)));
    const [kind] = given;
    if (kind === undefined || given.length > 1)
      return misuse(io, "resolve", `choose one of ${WAYS.map((way) => `--${way}`).join(" ")}`);
    const wrong = misfit(args, kind);
    if (wrong !== null) return misuse(io, "resolve", wrong);
    const place = placeOf(io, args);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { root, paths } = place.value;
    const mode = args.flag("dry-run") ? "read" : "write";
    const use = { mode, what: "resolve", quiet: args.flag("json"), ...reachOf(args) } as const;
    return useMirror(io, root, use, (mirror) => end(io, args, mirror, paths, kind));
  },
};

/** Returns a clause on options that exclude each other, or null. */
function misfit(args: Args, kind: Asked): string | null {
  const { operands } = args;
  if (args.flag("all") && operands.length > 1) return "--all takes one folder at most";
  if (!args.flag("all") && operands.length === 0) return "name a path, or --all";
  if (isManyWay(kind)) return null;
  if (args.flag("all") || operands.length > 1) return `--${kind} takes one path`;
  return args.flag("dry-run") ? `--dry-run goes with ${MANY_WAYS.map((way) => `--${way}`).join(", ")}` : null;
}

function isManyWay(kind: Asked): kind is BulkResolution {
  return MANY_WAYS.includes(kind);
}

/** Returns the folder and the paths; `paths` is null for all open problems. */
function placeOf(io: Io, args: Args): Result<{ readonly root: string; readonly paths: readonly LocalPath[] | null }> {
  if (!args.flag("all")) return locateAll(io, args.operands);
  const root = findMirror(io, args.operands[0]);
  return root.kind === "trouble" ? root : ok({ root: root.value, paths: null });
}

type Asked = (typeof WAYS)[number];
type AskedOfOne = Exclude<Asked, "merged-where-clean">;

async function end(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  paths: readonly LocalPath[] | null,
  kind: Asked,
): Promise<ExitCode> {
  const [one = ""] = paths ?? [];
  const isOne = paths?.length === 1 && isOneProblem(mirror.world, one);
  if (kind === "merged-where-clean" || (isManyWay(kind) && (args.flag("dry-run") || !isOne))) {
    return resolveSeveral(io, args, mirror, paths, kind);
  }
  return endOne(io, args, mirror, one, kind);
}

async function endOne(io: Io, args: Args, mirror: OpenedMirror, name: string, kind: AskedOfOne): Promise<ExitCode> {
  const subject = findProblem(mirror.world, name);
  if (subject.kind === "trouble") return complain(io, subject.trouble);
  if (kind === "recreate" && !(await agreesToRecreate(io, args, subject.value))) {
    io.err("mdmirror: nothing was done");
    io.err("  next: to continue, repeat the command with --yes");
    return EXIT.usage;
  }
  const way = await wayOf(io, args, mirror, subject.value, kind);
  if (way.kind === "trouble") return complain(io, way.trouble);
  const done = await resolveProblem(mirror.world, subject.value, way.value, { force: args.flag("force") });
  if (done.kind === "trouble") return complain(io, done.trouble);
  return sendEnded(io, args, mirror, { path: subject.value.path, way: kind, notes: done.value });
}

async function sendEnded(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  ended: { readonly path: string; readonly way: Asked; readonly notes: readonly string[] },
): Promise<ExitCode> {
  const json = args.flag("json");
  if (!json) {
    io.out(`${shownName(ended.path)}: ${ended.way}`);
    for (const note of ended.notes) io.out(`  ${shownWords(note)}`);
  }
  const sync = args.flag("no-sync") ? null : await syncAfter(io, mirror, json, [ended.path]);
  if (json) io.out(jsonLine({ ...ended, sync: sync?.report ?? null }));
  return sync?.exit ?? EXIT.inSync;
}

async function agreesToRecreate(io: Io, args: Args, { path, link, ways }: OpenProblem): Promise<boolean> {
  if (!ways.includes("recreate")) return true;
  const what = `mdmirror will create a new document with a new id for ${shownName(path)}, and delete the old one (${link.id}, ${shownName(link.remotePath)}) with its history on the service. Continue?`;
  return agrees(io, args.flag("yes"), what);
}

async function wayOf(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  subject: OpenProblem,
  kind: AskedOfOne,
): Promise<Result<Resolution>> {
  switch (kind) {
    case "merged": {
      const file = args.text("merged")!;
      try {
        return ok({ kind, text: io.readText(file === "-" ? file : resolve(io.cwd, file)) });
      } catch (error) {
        return trouble(
          "usage",
          `${file} cannot be read: ${errnoClause(error)}`,
          "give the file with the merged version",
        );
      }
    }
    case "tool": {
      if (subject.conflict === null)
        return trouble("usage", `${subject.path} is not in conflict`, `mdmirror why ${shellWord(subject.path)}`);
      const three = readThree(mirror.world, subject);
      if (three.kind === "trouble") return three;
      const merged = runMergeTool(subject.path, three.value, io.env);
      return merged.kind === "trouble" ? merged : ok({ kind: "merged", text: merged.value });
    }
    default:
      return ok({ kind });
  }
}
