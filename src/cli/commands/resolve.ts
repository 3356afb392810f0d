import { resolve } from "node:path";
import type { OpenedMirror } from "../../app/mirror/open-mirror.ts";
import type { Subject, Way } from "../../app/by-hand/resolve.ts";
import { errnoClause, ok, type Result, trouble } from "../../app/mirror/trouble.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { locate } from "../find-mirror.ts";
import { agrees, REACH_OPTIONS, reachOf, syncAfter, useMirror } from "../use-mirror.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../model/shown-name.ts";
import { shellWord } from "../../model/shell-word.ts";

const WAYS = ["mine", "theirs", "merged", "tool", "delete", "keep", "recreate"] as const;

export const command: Command = {
  usage:
    "resolve PATH --mine | --theirs | --merged FILE | --tool | --delete | --keep | --recreate [--no-sync] [--json]",
  about: [
    "Ends a conflict or a hold by your choice, then syncs. Mine is this folder, theirs the service. Nothing is lost: what gives way stays",
    "in .mdmirror/trash and in the history. An editor does as well: delete the (theirs) file for mine, move it over for theirs.",
  ],
  options: {
    mine: { help: "keep the text that is here; it goes up (a review: submit it again; a refusal: try again)" },
    theirs: { help: "take the service's text (a review or a refusal: drop the edit that is here)" },
    merged: { value: "FILE", help: "take FILE's text, made of both; - reads standard input" },
    tool: { help: "merge in $MDMIRROR_MERGETOOL or git's configured merge.tool" },
    delete: { help: "a hold: let the document go" },
    keep: { help: "a hold: keep it" },
    recreate: { help: "a move to the root that the service cannot do: make a new document there, delete the old one" },
    force: { help: "take, and send, a text that holds conflict markers" },
    yes: { help: "do not ask", short: "y" },
    "no-sync": { help: "do not sync afterwards" },
    json: { help: "one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const given = WAYS.filter((way) => (way === "merged" ? args.text(way) !== null : args.flag(way)));
    const [kind] = given;
    if (kind === undefined || given.length > 1)
      return misuse(io, "resolve", `choose one of ${WAYS.map((way) => `--${way}`).join(" ")}`);
    const place = locate(io, args.operands[0]!);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const use = { mode: "write", what: "resolve", quiet: args.flag("json"), ...reachOf(args) } as const;
    return useMirror(io, place.value.root, use, (mirror) => end(io, args, mirror, place.value.path, kind));
  },
};

type Asked = (typeof WAYS)[number];

async function end(io: Io, args: Args, mirror: OpenedMirror, name: string, kind: Asked): Promise<ExitCode> {
  const { findSubject, resolveSubject } = await import("../../app/by-hand/resolve.ts");
  const subject = findSubject(mirror.world, name);
  if (subject.kind === "trouble") return complain(io, subject.trouble);
  if (kind === "recreate" && !(await agreesToRecreate(io, args, subject.value))) {
    io.err("mdmirror: nothing was done");
    io.err("  next: to go on: --yes");
    return EXIT.usage;
  }
  const way = await wayOf(io, args, mirror, subject.value, kind);
  if (way.kind === "trouble") return complain(io, way.trouble);
  const done = await resolveSubject(mirror.world, subject.value, way.value, { force: args.flag("force") });
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
  const sync = args.flag("no-sync") ? null : await syncAfter(io, mirror, json);
  if (json) io.out(jsonLine({ ...ended, sync: sync?.report ?? null }));
  return sync?.exit ?? EXIT.inSync;
}

async function agreesToRecreate(io: Io, args: Args, { path, link, ways }: Subject): Promise<boolean> {
  if (!ways.includes("recreate")) return true;
  const what = `a new document will be made for ${shownName(path)}, with a new id, and the old one (${link.id}, ${shownName(link.remotePath)}) deleted with its history there. Go on?`;
  return agrees(io, args.flag("yes"), what);
}

async function wayOf(io: Io, args: Args, mirror: OpenedMirror, subject: Subject, kind: Asked): Promise<Result<Way>> {
  switch (kind) {
    case "merged": {
      const file = args.text("merged")!;
      try {
        return ok({ kind, text: io.readText(file === "-" ? file : resolve(io.cwd, file)) });
      } catch (error) {
        return trouble(
          "usage",
          `${file} cannot be read: ${errnoClause(error)}`,
          "give the file that holds the merged text",
        );
      }
    }
    case "tool": {
      const { readThree } = await import("../../app/by-hand/conflicts.ts");
      const { runMergeTool } = await import("../../app/by-hand/merge-tool.ts");
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
