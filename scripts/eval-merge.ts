/**
 * `npm run eval:merge [-- --sets DIR] [--rivals] [--list] [--json] [--no-probes | --cost]
 * [FILE.jsonl[.gz|.zst]…]`: measures src/markdown/merge. It compares the results of real merges
 * with what people committed, and measures the cost of the slowest inputs, each in a separate
 * process. Without files it uses the sets in DIR, in $MERGE_SETS or in ../shared/merge, and the
 * daily notes and edited lists of test/merge.
 *
 * - `--rivals` also runs git, wiggle and diff-match-patch on the same cases.
 * - `--list` prints one line for each case.
 * - `--json` prints the content of scripts/results/merge.json.
 * - `--no-probes` runs only the real merges.
 * - `--cost` runs only the slowest inputs.
 * - `--probe NAME` merges one slow input in this process.
 */
import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type MergeResult, mergeText } from "../src/markdown/merge/merge.ts";
import { aboutRun } from "./results.ts";
import { ADVERSARIES, LARGEST } from "../test/merge/adversaries.ts";
import { keepsCounts } from "../test/merge/word-counts.ts";
import { type Case, findSets, isLookedAt, readCases } from "./eval-merge/cases.ts";
import { isGarbled, judge, sortedLines, type Verdict } from "./eval-merge/judge.ts";
import { gitMerge, type Merge, rivals } from "./eval-merge/rivals.ts";
import { asksForHelp, printUsage } from "./usage.ts";
import {
  editedLists,
  judgeNote,
  mergeNote,
  type Note,
  type NoteVerdict,
  readNotes,
  turned,
} from "../test/merge/daily-notes.ts";

type Row = { cases: number; auto: number; garbled: number } & Record<Exclude<Verdict, "conflict">, number>;
/**
 * Cost of one merge. `cpuMs` is the processor time of all threads, `threadMs` that of the merging
 * thread.
 */
type Probe = {
  readonly input: string;
  readonly cpuMs: number;
  readonly threadMs: number;
  readonly grownMb: number;
  readonly end: string;
};

if (asksForHelp()) {
  printUsage(import.meta.url);
  process.exit(0);
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string" },
    rivals: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    "no-probes": { type: "boolean", default: false },
    cost: { type: "boolean", default: false },
    probe: { type: "string" },
  },
});

/** How many processes merge each slow input. */
const PROBES = 5;

if (options.probe === undefined) main();
else runProbe(options.probe);

function main(): void {
  const folder =
    options.sets ?? process.env["MERGE_SETS"] ?? fileURLToPath(new URL("../../shared/merge", import.meta.url));
  const { found, missing } = positionals.length > 0 ? { found: positionals, missing: [] } : findSets(folder);
  if (missing.length > 0) console.error(`not in ${folder}: ${missing.join(", ")} (name the folder with --sets DIR)`);
  const reports = options.cost ? [] : found.map(measureFile);
  const probes = options["no-probes"]
    ? []
    : Object.keys(ADVERSARIES)
        .map(probe)
        .sort((a, b) => b.cpuMs - a.cpuMs);
  const notes = options.cost || positionals.length > 0 ? {} : measureNotes(options.rivals);
  const about = aboutRun();
  if (options.json) console.log(JSON.stringify({ about, files: reports, notes, adversarial: probes }, null, 2));
  else show(reports, notes, probes);
}

function show(reports: readonly Report[], notes: Record<string, unknown>, probes: readonly Probe[]): void {
  if (Object.keys(notes).length > 0) console.table(notes);
  for (const report of reports) {
    console.log(`\n${report.file}`);
    console.table(report.rows);
    if (report.gitClean.cases > 0) console.table({ "git merges cleanly": report.gitClean });
    console.log(
      `one way round only: ${report.oneWay}; other lines the other way round: ${report.otherWay}; ` +
        `count guard broken: ${report.guardBroken}; ` +
        `CPU a merge, ms, the less of both ways round: ${JSON.stringify(report.cpuMs)}`,
    );
  }
  if (probes.length === 0) return;
  console.log(
    `\ncostliest inputs of ${LARGEST} characters (one cold merge in a process of its own: the least of ${PROBES} of the CPU of all its threads, of the one that merges, and of its growth in memory)`,
  );
  console.table(probes);
}

type Report = {
  readonly file: string;
  /** Counts by class of cases; for the class `mix` also by half, and for other tools. */
  readonly rows: Record<string, Row>;
  readonly gitClean: { cases: number; same: number; other: number; conflict: number };
  readonly oneWay: number;
  readonly otherWay: number;
  readonly guardBroken: number;
  readonly cpuMs: { readonly p50: number; readonly p99: number; readonly max: number };
};

function measureFile(file: string): Report {
  const cases = readCases(file);
  const rows: Record<string, Row> = {};
  const gitClean = { cases: 0, same: 0, other: 0, conflict: 0 };
  let [oneWay, otherWay, guardBroken] = [0, 0, 0];
  const times: number[] = [];
  for (const one of cases) {
    const [result, ms] = timed(() => mergeText(one.base, one.theirs, one.ours));
    const text = result.kind === "clean" ? result.text : undefined;
    const verdict = add(rows, one.class, one, text);
    if (one.class === "mix") add(rows, isLookedAt(one) ? "mix, looked at" : "mix, held out", one, text);
    if (text !== undefined && !keepsCounts(one.base, one.theirs, one.ours, text)) guardBroken++;
    const [swapped, swappedMs] = timed(() => mergeText(one.base, one.ours, one.theirs));
    times.push(Math.min(ms, swappedMs));
    if (swapped.kind !== result.kind) oneWay++;
    else if (swapped.kind === "clean" && sortedLines(swapped.text) !== sortedLines(text as string)) otherWay++;
    if (one.gitClean) {
      gitClean.cases++;
      gitClean[text === undefined ? "conflict" : text === gitMerge(one) ? "same" : "other"]++;
    }
    if (options.list) list(one, verdict, result, text);
  }
  if (options.rivals) compare(cases, rows);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const cpu = { p50: at(0.5), p99: at(0.99), max: at(1) };
  return { file: basename(file), rows, gitClean, oneWay, otherWay, guardBroken, cpuMs: cpu };
}

/** Counts a case in a row. Returns its verdict. */
function add(rows: Record<string, Row>, name: string, one: Case, text: string | undefined): Verdict {
  rows[name] ??= { cases: 0, auto: 0, equal: 0, near: 0, order: 0, wrong: 0, garbled: 0 };
  const row = rows[name];
  const verdict = judge(text, one.resolved);
  row.cases++;
  if (verdict !== "conflict") {
    row.auto++;
    row[verdict]++;
  }
  if (text !== undefined && isGarbled(one.base, one.theirs, one.ours, text)) row.garbled++;
  return verdict;
}

function compare(cases: readonly Case[], rows: Record<string, Row>): void {
  for (const [name, merge] of Object.entries(rivals()) as [string, Merge][]) {
    for (const one of cases) {
      if (one.class === "mix" || one.class === "joined") add(rows, `${one.class} by ${name}`, one, merge(one));
    }
  }
}

function list(one: Case, verdict: Verdict, result: MergeResult, text: string | undefined): void {
  const garbled = text !== undefined && isGarbled(one.base, one.theirs, one.ours, text) ? " garbled" : "";
  const half = isLookedAt(one) ? "looked-at" : "held-out";
  console.log(
    `${verdict}${garbled} ${result.kind === "clean" ? result.how : result.reason} ${one.class} ${half} ${one.id}`,
  );
}

/** Calls a function. Returns its result and the processor time of this process in milliseconds. */
function timed<T>(call: () => T): readonly [result: T, ms: number] {
  const start = process.cpuUsage();
  return [call(), msOf(process.cpuUsage(start))];
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** Merges one slow input in several new processes, to measure its memory too. */
function probe(input: string): Probe {
  const probes = Array.from({ length: PROBES }, () => probeOnce(input));
  // The smallest value, because other work on the machine only adds to the cost.
  const of = (name: "cpuMs" | "threadMs" | "grownMb"): number => Math.min(...probes.map((one) => one[name]));
  return { ...(probes[0] as Probe), cpuMs: of("cpuMs"), threadMs: of("threadMs"), grownMb: of("grownMb") };
}

function probeOnce(input: string): Probe {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--probe", input], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`probe ${input} failed: ${child.stderr}`);
  return JSON.parse(child.stdout) as Probe;
}

function runProbe(input: string): void {
  const make = ADVERSARIES[input];
  if (make === undefined) throw new Error(`no such input: ${input}`);
  const [base, local, remote] = make();
  const before = process.memoryUsage.rss();
  const thread = process.threadCpuUsage();
  const [result, ms] = timed(() => mergeText(base, local, remote));
  const threadMs = Math.round(msOf(process.threadCpuUsage(thread)));
  const end = result.kind === "clean" ? result.how : `conflict: ${result.reason}`;
  const grownMb = Math.round(process.resourceUsage().maxRSS / 1024 - before / 1024 ** 2);
  console.log(JSON.stringify({ input, cpuMs: Math.round(ms), threadMs, grownMb, end }));
}

type NoteRow = { cases: number } & Record<NoteVerdict, number>;

/**
 * Returns the number of each verdict on the daily notes and the edited lists; for the notes, also
 * those of other tools.
 */
function measureNotes(withRivals: boolean): Record<string, NoteRow> {
  const notes = readNotes().flatMap((note) => [note, turned(note)]);
  const lists = editedLists(60, 1).map((list): Note => ({ ...list, title: `${list.format}: ${list.change}` }));
  const rows: Record<string, NoteRow> = {
    "daily notes": rowOf(notes, mergeNote),
    "edited lists": rowOf(lists, mergeNote),
  };
  if (!withRivals) return rows;
  for (const [name, merge] of Object.entries(rivals())) {
    const mergeOther = ({ base, local, remote }: Note) => merge({ base, ours: remote, theirs: local });
    rows[`daily notes by ${name}`] = rowOf(notes, mergeOther);
  }
  return rows;
}

function rowOf(notes: readonly Note[], merge: (note: Note) => string | undefined): NoteRow {
  const row: NoteRow = { cases: notes.length, right: 0, needless: 0, wrong: 0 };
  for (const note of notes) row[judgeNote(note, merge(note))]++;
  return row;
}
