import type { Undone, UndoPlan } from "../../mirror/operations/history/undo.ts";
import type { OpenedMirror } from "../../mirror/folder/open-mirror.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { agrees, REACH_OPTIONS, reachOf, useMirror } from "../use-mirror.ts";
import { count } from "../../common/count.ts";
import { NOT_BEGUN } from "../../mirror/model/not-begun.ts";
import { undoClause } from "../../mirror/operations/results/undo.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { jsonLine } from "../json-line.ts";
import { endMany, leftLines } from "../show-many.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { readMoment } from "../../mirror/operations/history/as-of.ts";
import { readUndo, readUndoSince, runsClause, undoRun } from "../../mirror/operations/history/undo.ts";

export const command: Command = {
  usage: "undo [DIR] [RUN] [--since TIME] [--dry-run] [--yes] [--no-sync] [--json]",
  about: [
    "Undoes a run, by default the last one that changed anything (mdmirror log names the runs). It restores versions as edits, moves documents back, and creates deleted documents again. Documents that the run uploaded as new go to the trash, and their deletion on the service passes the safety checks.",
    "With --since: undoes all runs that began since then, as one run.",
    "Leaves alone and names each document that changed since. Does not delete documents that a run only downloaded.",
  ],
  examples: ["mdmirror undo --dry-run", "mdmirror undo --since 2h"],
  options: {
    since: { value: "TIME", help: "undo all runs since that time (2h, 3d, 2026-11-22T09:30)" },
    "dry-run": { help: "show what it would do and write nothing" },
    yes: { help: "do not ask", short: "y" },
    "no-sync": { help: "only change the local folder; the next sync uploads it" },
    json: { help: "print one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 2 },
  async run(io, args) {
    const [runs, dirs] = [args.operands.filter(isRun), args.operands.filter((operand) => !isRun(operand))];
    if (runs.length > 1 || dirs.length > 1)
      return misuse(io, "undo", "takes one folder and one RUN, a number as mdmirror log shows it");
    const [name] = runs;
    const asked = args.text("since");
    const since = asked === null ? null : readMoment(asked, io.clock.now());
    if (asked !== null && since === null)
      return misuse(io, "undo", `--since takes a past time, such as 2h, 3d or 2026-11-22T09:30, not ${asked}`);
    if (since !== null && name !== undefined) return misuse(io, "undo", "takes RUN or --since, not both");
    const root = findMirror(io, dirs[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const mode = args.flag("dry-run") ? "read" : "write";
    const use = { mode, what: "undo", quiet: args.flag("json"), ...reachOf(args) } as const;
    const wanted: Wanted = { run: name === undefined ? null : Number(name), since };
    return useMirror(io, root.value, use, (mirror) => takeBack(io, args, mirror, wanted));
  },
};

/**
 * `since` in milliseconds since the epoch. If both are null: the last run that changed anything.
 */
type Wanted = { readonly run: number | null; readonly since: number | null };

async function takeBack(io: Io, args: Args, mirror: OpenedMirror, wanted: Wanted): Promise<ExitCode> {
  const json = args.flag("json");
  const { world } = mirror;
  const plan = wanted.since === null ? readUndo(world, wanted.run) : readUndoSince(world, wanted.since);
  if (plan.kind === "trouble") return complain(io, plan.trouble);
  const { items, runs } = plan.value;
  const doable = items.filter(({ kind }) => kind !== "left").length;
  const what = runs.length === 0 ? "no run" : runsClause(runs);
  if (!json) for (const line of planLines(plan.value, what, wanted.since)) io.out(line);
  if (args.flag("dry-run") || doable === 0) {
    if (json) io.out(jsonLine({ ...runsJson(plan.value, wanted), items, done: [], sync: null }));
    const isAll = doable === items.length && (doable > 0 || wanted.since !== null);
    return isAll ? EXIT.inSync : EXIT.attention;
  }
  if (!(await agrees(io, args.flag("yes"), `undo ${count(doable)} of ${what}?`))) {
    io.err("mdmirror: nothing was done");
    io.err("  next: to continue: mdmirror undo --yes");
    return EXIT.usage;
  }
  const { value: undone, isStopped } = await io.stoppable((stop) => undoRun(world, plan.value, stop));
  return sendUndone(io, args, mirror, { plan: plan.value, wanted, undone, isStopped });
}

/** One run is reported by its number, several runs by theirs. */
function runsJson({ runs, passed }: UndoPlan, { since }: Wanted): object {
  if (since !== null) return { since, runs: runs.map(({ run }) => run) };
  return { run: runs[0]!.run, passedOver: passed.map(({ run }) => run) };
}

type Sent = {
  readonly plan: UndoPlan;
  readonly wanted: Wanted;
  readonly undone: Undone;
  readonly isStopped: boolean;
};

async function sendUndone(io: Io, args: Args, mirror: OpenedMirror, sent: Sent): Promise<ExitCode> {
  const { plan, wanted, undone, isStopped } = sent;
  const { ends, run } = undone;
  if (!args.flag("json")) showEnds(io, undone);
  const done = ends.map((end) => ({ path: end.item.path, kind: end.item.kind, done: end.done, note: end.note }));
  return endMany(io, args, mirror, {
    run,
    isStopped,
    isOwed: true,
    paths: ends.map(({ item }) => item.path),
    object: { ...runsJson(plan, wanted), items: plan.items, done },
    exit: ends.every((end) => end.done) ? EXIT.inSync : EXIT.attention,
    ...(wanted.since === null && { again: `mdmirror undo ${plan.runs[0]!.run}` }),
  });
}

/**
 * Returns true if an operand is the number of a run. A folder with such a name is given as ./12.
 */
function isRun(operand: string): boolean {
  return /^\d{1,9}$/.test(operand);
}

function beginning({ kind, startedAt }: Pick<UndoPlan["runs"][number], "kind" | "startedAt">): string {
  return `${kind}, ${localTime(startedAt)}`;
}

function planLines({ runs, items, passed }: UndoPlan, what: string, since: number | null): string[] {
  const [newest] = runs;
  const before = passed.flatMap(({ run, kind, startedAt, left }) => [
    `run ${run} (${beginning({ kind, startedAt })}) cannot be undone and is skipped:`,
    ...leftLines(left),
  ]);
  const when = since === null ? beginning(newest!) : `since ${localTime(since)}`;
  const nothing = since === null ? "it changed no document" : "there is nothing to undo";
  const lines = [
    ...items.flatMap((item) => (item.kind === "left" ? [] : [`  ${shownName(item.path)}  ${undoClause(item)}`])),
    ...leftLines(items.filter((item) => item.kind === "left")),
  ];
  return [...before, `${what} (${when}):`, ...(lines.length === 0 ? [`  ${nothing}`] : lines)];
}

function showEnds(io: Io, { run, ends }: Undone): void {
  for (const { item, done, note } of ends) {
    if (done && note !== "") io.out(`${shownName(item.path)}: ${shownWords(note)}`);
    if (!done && item.kind !== "left" && note !== NOT_BEGUN)
      io.err(`${shownName(item.path)}: left alone: ${shownWords(note)}`);
  }
  const unbegun = ends.filter(({ note }) => note === NOT_BEGUN).length;
  const rest = unbegun === 0 ? "" : `, ${count(unbegun)} not started`;
  const again = run === null ? "" : `; run ${run}`;
  io.out(`${count(ends.filter(({ done }) => done).length)} undone${rest}${again}`);
}
