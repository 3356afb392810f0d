import type { DocId } from "../../contract/ids.ts";
import type { StoppedPlan } from "../../mirror/operations/manual/approve.ts";
import type { OpenedMirror } from "../../mirror/folder/open-mirror.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { groupLines } from "../describe.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { NEXT_WITHOUT_ROOT } from "../../mirror/operations/results/attention.ts";
import { waitingClause } from "../../mirror/operations/results/stop.ts";
import { reject } from "../reject-stop.ts";
import { shownWords } from "../../common/shown-name.ts";
import { agrees, KEY_OPTION, useMirror } from "../use-mirror.ts";
import { approve, findStop, withdrawApproval } from "../../mirror/operations/manual/approve.ts";
import { faultTrouble } from "../../mirror/folder/fault-trouble.ts";
import { stoppedRun } from "../../mirror/folder/run.ts";

/** LIMIT: names shown for each kind of action. */
const MOST = 20;

export const command: Command = {
  usage: "approve [DIR] [--yes] [--all]",
  about: [
    "Shows the changes that a safety check stopped, asks for confirmation, and approves exactly these. The next sync carries them out. If more such changes are added before that sync, it stops again.",
    "Deleted files go to .mdmirror/trash; the content of deleted documents stays in the local history. To undo the changes instead: mdmirror reject.",
  ],
  examples: ["mdmirror plan --all", "mdmirror approve notes"],
  options: {
    yes: { short: "y", help: "do not ask" },
    all: { help: "show every name (default: the first 20 of each kind)" },
    ...KEY_OPTION,
  },
  operands: { least: 0, most: 1 },
  run: (io, args) => answerStop(io, args, "approve"),
};

/** Answers a stop with `approve` or `reject`. */
export async function answerStop(io: Io, args: Args, what: "approve" | "reject"): Promise<ExitCode> {
  const root = findMirror(io, args.operands[0]);
  if (root.kind === "trouble") return complain(io, root.trouble);
  const use = { mode: "write", what, keyFile: args.text("key-file") } as const;
  return useMirror(io, root.value, use, async (mirror) => {
    if (what === "reject") withdrawApproval(mirror);
    const halted = await findStop(mirror, stoppedRun(mirror, io.terminal.output));
    if (halted.kind === "offline") return complain(io, faultTrouble(halted.fault, mirror.url));
    if (!showHalt(io, halted)) return halted.kind === "nothing" ? EXIT.inSync : EXIT.stopped;
    if (what === "reject") return reject(io, args, mirror, halted, mostNames(args));
    return decide(io, args, mirror, halted, approve);
  });
}

/** Returns true if there is something to decide. */
function showHalt(io: Io, halted: Exclude<StoppedPlan, { kind: "offline" }>): halted is Decidable {
  if (halted.kind === "nothing") {
    io.out("nothing is stopped; next: mdmirror sync");
    return false;
  }
  for (const { reason, detail } of halted.reasons) io.out(`Stopped: ${shownWords(detail)} (${reason})`);
  if (halted.kind === "stopped") return true;
  io.err("mdmirror: this stop cannot be approved: the folder itself has changed");
  io.err(`  next: ${NEXT_WITHOUT_ROOT}`);
  return false;
}

type Decidable = Extract<StoppedPlan, { kind: "stopped" }>;

function mostNames(args: Args): number {
  return args.flag("all") ? Number.POSITIVE_INFINITY : MOST;
}

async function decide(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  halted: Decidable,
  approve: (mirror: OpenedMirror, halted: Decidable) => void,
): Promise<ExitCode> {
  const { state } = mirror.world;
  for (const line of groupLines(halted.stopped, mostNames(args), (id) => state.link(id as DocId)?.localPath ?? null))
    io.out(line);
  if (halted.waiting > 0) io.out(`  ${waitingClause(halted.waiting)}`);
  if (!(await agrees(io, args.flag("yes"), "carry out these changes?"))) {
    io.err(
      io.terminal.input
        ? "mdmirror: nothing was approved"
        : "mdmirror: this command needs a confirmation, but no terminal is attached",
    );
    io.err("  next: mdmirror approve --yes");
    return io.terminal.input ? EXIT.stopped : EXIT.usage;
  }
  approve(mirror, halted);
  io.out(`approved; ${mirror.borrowed === true ? "the daemon carries them out" : "next: mdmirror sync"}`);
  return EXIT.inSync;
}
