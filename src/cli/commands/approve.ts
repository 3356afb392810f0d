import { count } from "../../common/quantities.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import type { APPROVE } from "../../mirror/operations/declared/writes.ts";
import type { ResultOf } from "../../mirror/operations/define.ts";
import { approve, reject as restore } from "../../mirror/operations/manual/answer-stop.ts";
import { describeWaiting } from "../../mirror/operations/results/attention.ts";
import type { Args, Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findMirror, FOLDER_OPERANDS } from "../find-mirror.ts";
import { makeOperationCommand } from "../operation-command.ts";
import { cutLines } from "../text.ts";

/** LIMIT: number of names shown for each kind of change, so that the output stays short. */
const MAX_NAMES = 20;

const SHARED_PARTS = {
  operands: FOLDER_OPERANDS,
  options: { all: { help: "show every name (default: the first 20 of each kind)" } },
  declined: EXIT.stopped,
  planLines: formatStop,
  locate(io: Io, { operands }: Args) {
    return { root: findMirror(io, operands[0]), input: { attended: io.terminal.output } };
  },
} as const;

export const command = makeOperationCommand(approve, {
  ...SHARED_PARTS,
  examples: ["mdmirror plan --all", "mdmirror approve notes"],
  question: () => "carry out these changes?",
  words: () => ({ word: "approved" }),
  next: ({ next }) => (next === "daemon" ? "the daemon carries them out" : "next: mdmirror sync"),
});

export const reject = makeOperationCommand(restore, {
  ...SHARED_PARTS,
  examples: ["mdmirror reject notes"],
  question: () => "undo these changes?",
  words: () => ({ word: "restored" }),
  next: ({ next }) => (next === "daemon" ? "the daemon syncs now" : "next: mdmirror sync"),
});

function formatStop({ reasons, waiting, items }: ResultOf<typeof APPROVE>, args: Args): readonly string[] {
  if (reasons.length === 0) return ["nothing is stopped; next: mdmirror sync"];
  const maxNames = args.flag("all") ? Number.POSITIVE_INFINITY : MAX_NAMES;
  const groups = [...Map.groupBy(items, ({ what }) => what)].flatMap(([what, all]) => [
    `  ${what}: ${count(all.length)}`,
    ...cutLines(all.map(formatItem), maxNames, "    "),
  ]);
  return [
    ...reasons.map(({ reason, detail }) => `Stopped: ${shownWords(detail)} (${reason})`),
    ...groups,
    ...(waiting > 0 ? [`  ${describeWaiting(waiting)}`] : []),
  ];
}

function formatItem({ path, why, notes }: ResultOf<typeof APPROVE>["items"][number]): string {
  const clause = [why, ...notes].filter((part) => part !== "").join("; ");
  return `    ${shownName(path)}${clause === "" ? "" : `  (${shownWords(clause)})`}`;
}
