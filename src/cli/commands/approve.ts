import { shownWords } from "../../common/shown-name.ts";
import { ok } from "../../common/trouble.ts";
import type { DirId, DocId } from "../../contract/ids.ts";
import { approve, type StopPlan } from "../../mirror/operations/manual/answer-stop.ts";
import { waitingClause } from "../../mirror/operations/results/stop.ts";
import type { Args, Io } from "../command.ts";
import { groupLines } from "../describe.ts";
import { EXIT } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { operationCommand } from "../operation-command.ts";

/** LIMIT: names shown for each kind of action. */
const MOST = 20;

/** The parts that this command shares with `reject`. */
export const ANSWER = {
  operands: { usage: "[DIR]", least: 0, most: 1 },
  options: { all: { help: "show every name (default: the first 20 of each kind)" } },
  declined: EXIT.stopped,
  locate(io: Io, { operands }: Args) {
    const root = findMirror(io, operands[0]);
    return root.kind === "trouble" ? root : ok({ root: root.value, input: { attended: io.terminal.output } });
  },
} as const;

export const command = operationCommand(approve, {
  ...ANSWER,
  examples: ["mdmirror plan --all", "mdmirror approve notes"],
  question: () => "carry out these changes?",
  planLines(plan, _isDryRun, args) {
    const head = reasonLines(plan);
    if (plan.kind === "nothing") return head;
    const { links, dirs } = plan.halted.trees.base;
    const pathOf = (id: string) => (links.get(id as DocId) ?? dirs.get(id as DirId))?.localPath ?? null;
    const { waiting, stopped } = plan.halted;
    return [
      ...head,
      ...groupLines(stopped, mostNames(args), pathOf),
      ...(waiting > 0 ? [`  ${waitingClause(waiting)}`] : []),
    ];
  },
  showDone(io, _plan, { next }) {
    io.out(`approved; ${next === "daemon" ? "the daemon carries them out" : "next: mdmirror sync"}`);
  },
});

export function reasonLines(plan: StopPlan): readonly string[] {
  if (plan.kind === "nothing") return ["nothing is stopped; next: mdmirror sync"];
  return plan.halted.reasons.map(({ reason, detail }) => `Stopped: ${shownWords(detail)} (${reason})`);
}

export function mostNames(args: Args): number {
  return args.flag("all") ? Number.POSITIVE_INFINITY : MOST;
}
