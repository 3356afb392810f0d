import { count } from "../../common/count.ts";
import { runsClause, undo, type UndoPlan } from "../../mirror/operations/history/undo.ts";
import { undoClause } from "../../mirror/operations/results/undo.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { findMirror } from "../find-mirror.ts";
import { leftAloneLines, operationCommand } from "../operation-command.ts";
import { refuse } from "../../common/trouble.ts";

export const command = operationCommand(undo, {
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
    const doable = items.filter(({ kind }) => kind !== "left").length;
    return `undo ${count(doable)} of ${runsClause(runs)}?`;
  },
  again: ({ runs, since }) => (since === null ? `mdmirror undo ${runs[0]!.run}` : undefined),
  head: headLines,
  words: () => ({ word: "undone", detail: undoClause }),
});

/**
 * Returns true if an operand is the number of a run. For a folder named 12, the user types ./12.
 */
function isRun(operand: string): boolean {
  return /^\d{1,9}$/.test(operand);
}

function runText({ kind, startedAt }: Pick<UndoPlan["runs"][number], "kind" | "startedAt">): string {
  return `${kind}, ${localTime(startedAt)}`;
}

function headLines({ runs, passed, since }: UndoPlan): readonly string[] {
  const what = runs.length === 0 ? "no run" : runsClause(runs);
  const span = since === null ? runText(runs[0]!) : `since ${localTime(since)}`;
  return [
    ...passed.flatMap(({ run, kind, startedAt, left }) => [
      `run ${run} (${runText({ kind, startedAt })}) cannot be undone and is skipped:`,
      ...leftAloneLines(left),
    ]),
    `${what} (${span}):`,
  ];
}
