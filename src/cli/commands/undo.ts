import { count } from "../../common/quantities.ts";
import { describeUndo, formatRuns, undo, type UndoPlan } from "../../mirror/operations/history/undo.ts";
import { formatLocalTime } from "../../mirror/operations/results/times.ts";
import { findMirror } from "../find-mirror.ts";
import { formatLeftAlone, makeOperationCommand } from "../operation-command.ts";
import { refuse } from "../../common/trouble.ts";

export const command = makeOperationCommand(undo, {
  operands: { usage: "[DIR] [RUN]", least: 0, most: 2, offers: ["mirror", "nothing"] },
  examples: ["mdmirror undo --dry-run", "mdmirror undo --since 2h"],
  locate(io, { operands }) {
    const [runs, dirs] = [operands.filter(isRun), operands.filter((operand) => !isRun(operand))];
    if (runs.length > 1 || dirs.length > 1)
      return refuse("undo takes one folder and one RUN", "give a number as mdmirror log shows it");
    const run = runs[0] === undefined ? undefined : Number(runs[0]);
    return { root: findMirror(io, dirs[0]), input: { run } };
  },
  question({ items, runs }) {
    const doableCount = items.filter(({ kind }) => kind !== "left").length;
    return `undo ${count(doableCount)} of ${formatRuns(runs)}?`;
  },
  again: ({ runs, since }, folder) => (since === null ? `mdmirror undo${folder} ${runs[0]!.run}` : undefined),
  head: formatUndoHead,
  words: () => ({ word: "undone", detail: describeUndo }),
});

/** Returns true if an operand is the number of a run. A folder `12` is typed as `./12`. */
function isRun(operand: string): boolean {
  return /^\d{1,9}$/.test(operand);
}

function describeRun({ kind, startedAt }: Pick<UndoPlan["runs"][number], "kind" | "startedAt">): string {
  return `${kind}, ${formatLocalTime(startedAt)}`;
}

function formatUndoHead({ runs, passed, since }: UndoPlan): readonly string[] {
  const runsWords = runs.length === 0 ? "no run" : formatRuns(runs);
  const spanClause = since === null ? describeRun(runs[0]!) : `since ${formatLocalTime(since)}`;
  return [
    ...passed.flatMap(({ run, kind, startedAt, left }) => [
      `run ${run} (${describeRun({ kind, startedAt })}) cannot be undone and is skipped:`,
      ...formatLeftAlone(left),
    ]),
    `${runsWords} (${spanClause}):`,
  ];
}
