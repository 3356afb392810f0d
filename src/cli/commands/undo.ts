import type { UndoEnd, UndoPlan } from "../../app/history/undo.ts";
import type { OpenedMirror } from "../../app/mirror/open-mirror.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { agrees, REACH_OPTIONS, reachOf, syncAfter, useMirror } from "../use-mirror.ts";
import { count } from "../../model/count.ts";
import { undoClause } from "../../app/told/undo.ts";
import { localTime } from "../../app/told/when.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../model/shown-name.ts";

export const command: Command = {
  usage: "undo [DIR] [RUN] [--dry-run] [--yes] [--no-sync] [--json]",
  about: [
    "Takes one run back, by default the last that changed anything (mdmirror log names the runs): texts as edits, moves as moves,",
    "deleted documents as new ones; what the run sent as new goes to the trash, and its deletion on the service passes the guards.",
    "What moved since is left alone, and said. What a run only brought here is not deleted.",
  ],
  options: {
    "dry-run": { help: "show what it would do" },
    yes: { help: "do not ask", short: "y" },
    "no-sync": { help: "only change this folder; the next sync sends it" },
    json: { help: "one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 2 },
  async run(io, args) {
    const [runs, dirs] = [args.operands.filter(isRun), args.operands.filter((operand) => !isRun(operand))];
    if (runs.length > 1 || dirs.length > 1)
      return misuse(io, "undo", "takes one folder and one RUN, a number as mdmirror log shows it");
    const [name] = runs;
    const root = findMirror(io, dirs[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const mode = args.flag("dry-run") ? "read" : "write";
    const use = { mode, what: "undo", quiet: args.flag("json"), ...reachOf(args) } as const;
    return useMirror(io, root.value, use, (mirror) =>
      takeBack(io, args, mirror, name === undefined ? null : Number(name)),
    );
  },
};

async function takeBack(io: Io, args: Args, mirror: OpenedMirror, asked: number | null): Promise<ExitCode> {
  const { readUndo, undoRun } = await import("../../app/history/undo.ts");
  const json = args.flag("json");
  const plan = readUndo(mirror.world.state, asked);
  if (plan.kind === "trouble") return complain(io, plan.trouble);
  const { items, run } = plan.value;
  const doable = items.filter(({ kind }) => kind !== "left").length;
  if (!json) for (const line of planLines(plan.value)) io.out(line);
  if (args.flag("dry-run") || doable === 0) {
    if (json) io.out(jsonLine({ run, items, done: [], sync: null }));
    return doable === 0 ? EXIT.attention : EXIT.inSync;
  }
  if (!(await agrees(io, args.flag("yes"), `take back ${count(doable)} of run ${run}?`))) {
    io.err("mdmirror: nothing was done");
    io.err("  next: to go on: mdmirror undo --yes");
    return EXIT.usage;
  }
  return sendUndone(io, args, mirror, plan.value, await undoRun(mirror.world, plan.value));
}

async function sendUndone(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  { run, items }: UndoPlan,
  ends: readonly UndoEnd[],
): Promise<ExitCode> {
  const json = args.flag("json");
  if (!json) showEnds(io, ends);
  const sync = args.flag("no-sync") ? null : await syncAfter(io, mirror, json);
  if (json) {
    const done = ends.map((end) => ({ path: end.item.path, kind: end.item.kind, done: end.done, note: end.note }));
    io.out(jsonLine({ run, items, done, sync: sync?.report ?? null }));
  }
  if (sync !== null && sync.exit !== EXIT.inSync) return sync.exit;
  return ends.every(({ done }) => done) ? EXIT.inSync : EXIT.attention;
}

/** Whether an operand is the number of a run. A folder of such a name is given as ./12. */
function isRun(operand: string): boolean {
  return /^\d{1,9}$/.test(operand);
}

function planLines({ run, kind, startedAt, items }: UndoPlan): string[] {
  const lines = items.map((item) => {
    return `  ${shownName(item.path)}  ${undoClause(item)}`;
  });
  return [
    `run ${run} (${kind}, ${localTime(startedAt)}):`,
    ...(lines.length === 0 ? ["  it changed no document"] : lines),
  ];
}

function showEnds(io: Io, ends: readonly UndoEnd[]): void {
  for (const { item, done, note } of ends) {
    if (done && note !== "") io.out(`${shownName(item.path)}: ${shownWords(note)}`);
    if (!done && item.kind !== "left") io.err(`${shownName(item.path)}: left alone: ${shownWords(note)}`);
  }
  io.out(`${count(ends.filter(({ done }) => done).length)} taken back`);
}
