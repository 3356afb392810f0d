import type { RunRequest } from "../../app/mirror/run.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import type { ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import type { Telling } from "../tell-run.ts";
import { showProgress } from "../progress.ts";
import { shownWords } from "../../model/shown-name.ts";
import { REACH_OPTIONS, reachOf } from "../use-mirror.ts";

export const command: Command = {
  usage: "sync [DIR] [--dry-run] [--json] [--quiet] [--max-deletes N] [--pull-only | --push-only]",
  about: [
    "Passes until nothing is left to do, five at most; made for cron. Prints one line; with --quiet, none on success.",
    "What the service refused is tried again by each sync; with --quiet (cron), once a day.",
    "Where a daemon keeps the folder, it is asked for the run, and waited for.",
  ],
  options: {
    "dry-run": { help: "show what it would do; write nothing at all (mdmirror plan)" },
    json: { help: "end with one JSON object instead of lines" },
    quiet: { short: "q", help: "say nothing unless something needs you, or has lasted for an hour" },
    "max-deletes": { value: "N", help: "so many deletions a side without a question, in this run" },
    "pull-only": { help: "only bring changes here" },
    "push-only": { help: "only send changes to the service" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const bad = whyMisused(args);
    if (bad !== null) return misuse(io, "sync", bad);
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const telling = { quiet: args.flag("quiet"), json: args.flag("json") };
    const reach = reachOf(args);
    const request = requestOf(io, args);
    if (args.flag("dry-run")) {
      const { showPlan } = await import("../show-plan.ts");
      return showPlan(io, root.value, request, { ...telling, ...reach, all: false });
    }
    return syncNow(io, root.value, request, telling, reach);
  },
};

function whyMisused(args: Args): string | null {
  const asked = args.text("max-deletes");
  if (asked !== null && !/^\d{1,9}$/.test(asked)) return "--max-deletes takes a whole number";
  const excluded = args.flag("pull-only") && args.flag("push-only");
  return excluded ? "--pull-only and --push-only exclude each other" : null;
}

function requestOf(io: Io, args: Args): RunRequest {
  const asked = args.text("max-deletes");
  const oneWay = (["pull-only", "push-only"] as const).find((direction) => args.flag(direction));
  return {
    direction: oneWay ?? "both",
    maxDeletes: asked === null ? null : Number(asked),
    attended: io.terminal.output,
    byTimer: args.flag("quiet"),
  };
}

async function syncNow(
  io: Io,
  root: string,
  request: RunRequest,
  telling: Telling,
  reach: ReturnType<typeof reachOf>,
): Promise<ExitCode> {
  const { syncMirror } = await import("../../app/by-hand/sync.ts");
  const { tellRun, tellTrouble } = await import("../tell-run.ts");
  const { env, cwd, clock, random } = io;
  const silent = telling.quiet || telling.json;
  const progress = showProgress(io, silent);
  const onDaemon = () => (io.terminal.error && !silent ? io.status("the daemon is at it …") : undefined);
  const began = clock.monotonic();
  const options = { env, cwd, clock, random, progress, onDaemon, ...reach };
  const ended = await syncMirror(root, request, options).finally(progress.end);
  if (ended.kind === "trouble") return tellTrouble(io, root, ended.trouble, telling);
  const { report, url, notes } = ended.value;
  for (const note of notes) io.err(`mdmirror: ${shownWords(note)}`);
  return tellRun(io, root, report, { ...telling, url, took: clock.monotonic() - began });
}
