// Measures core/merge on real merges: node scripts/eval-merge.ts [--json] [--list] [FILE.jsonl[.gz]…]
// Each line of a file is a case with base, ours (taken as remote), theirs (local) and what people committed (resolved).
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { keepsCounts } from "../src/core/merge/words.ts";
import { type MergeResult, mergeText } from "../src/core/merge.ts";
import { adversaries, LARGEST } from "../test/core/merge/adversaries.ts";

type Case = {
  readonly id: string;
  readonly gitClean: boolean;
  readonly class: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly resolved: string;
};
type Verdict = "conflict" | "equal" | "near" | "order" | "wrong";
type Row = { cases: number; auto: number } & Record<Exclude<Verdict, "conflict">, number>;
type GitRow = { cases: number; same: number; other: number; conflict: number };
type Probe = { readonly input: string; readonly cpuMs: number; readonly peakMb: number; readonly end: string };

/** Words that may differ from the people's text for a merge to count as near. */
const NEAR_WORDS = 5;

const args = process.argv.slice(2);
if (args[0] === "--probe") runProbe(args[1] ?? "");
else main();

function main(): void {
  const given = args.filter((arg) => !arg.startsWith("--"));
  const shared = fileURLToPath(new URL("../../shared/merge/", import.meta.url));
  const usual = ["dev.jsonl.gz", "joined-dev.jsonl.gz"]
    .map((name) => join(shared, name))
    .filter((path) => existsSync(path));
  const reports = (given.length > 0 ? given : usual).map(measureFile);
  const probes = Object.keys(adversaries())
    .map(probe)
    .sort((a, b) => b.cpuMs - a.cpuMs);
  if (args.includes("--json")) {
    console.log(JSON.stringify({ files: reports, adversarial: probes }, null, 2));
    return;
  }
  for (const report of reports) {
    console.log(`\n${report.file}`);
    console.table(report.classes);
    if (report.gitClean.cases > 0) console.table({ "git merges cleanly": report.gitClean });
    console.log(`count guard broken: ${report.guardBroken}; CPU a merge, ms: ${JSON.stringify(report.cpuMs)}`);
  }
  console.log(
    `\nadversarial inputs of ${LARGEST} characters (CPU of one cold merge; peak memory of its whole process)`,
  );
  console.table(probes);
}

type Report = {
  readonly file: string;
  readonly classes: Record<string, Row>;
  readonly gitClean: GitRow;
  readonly guardBroken: number;
  readonly cpuMs: { readonly p50: number; readonly p99: number; readonly max: number };
};

function measureFile(file: string): Report {
  const cases = readCases(file);
  const classes: Record<string, Row> = {};
  const gitClean: GitRow = { cases: 0, same: 0, other: 0, conflict: 0 };
  let guardBroken = 0;
  for (const one of cases) {
    const result = mergeText(one.base, one.theirs, one.ours);
    const verdict = judge(result, one.resolved);
    classes[one.class] ??= { cases: 0, auto: 0, equal: 0, near: 0, order: 0, wrong: 0 };
    const row = classes[one.class] as Row;
    row.cases++;
    if (verdict !== "conflict") {
      row.auto++;
      row[verdict]++;
    }
    if (result.kind === "clean" && !keepsCounts(one.base, one.theirs, one.ours, result.text)) guardBroken++;
    if (one.gitClean) {
      gitClean.cases++;
      gitClean[result.kind === "conflict" ? "conflict" : result.text === gitMerge(one) ? "same" : "other"]++;
    }
    if (args.includes("--list"))
      console.log(verdict, result.kind === "clean" ? result.how : result.reason, one.class, one.id);
  }
  const times = cases.map(({ base, theirs, ours }) => cpuMs(() => mergeText(base, theirs, ours))).sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { file: basename(file), classes, gitClean, guardBroken, cpuMs: { p50: at(0.5), p99: at(0.99), max: at(1) } };
}

function readCases(file: string): Case[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case);
}

/** CPU time of this process, in milliseconds, for one call. */
function cpuMs(call: () => unknown): number {
  const start = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** What git merges from the same three texts; undefined when it finds conflicts. */
function gitMerge(one: Case): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "eval-merge-"));
  try {
    for (const side of ["base", "ours", "theirs"] as const) writeFileSync(join(dir, side), one[side]);
    const git = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], {
      cwd: dir,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    return git.status === 0 ? git.stdout : undefined;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function judge(result: MergeResult, resolved: string): Verdict {
  if (result.kind === "conflict") return "conflict";
  const [ours, theirs] = [result.text, resolved].map((text) => text.split(/\s+/).filter((word) => word !== "")) as [
    string[],
    string[],
  ];
  if (ours.join(" ") === theirs.join(" ")) return "equal";
  if (wordsOff(ours, theirs) <= NEAR_WORDS) return "near";
  return sortedLines(result.text) === sortedLines(resolved) ? "order" : "wrong";
}

function sortedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .sort()
    .join("\n");
}

/** Words to replace, at most: half the edit length, or infinity past what counts as near. */
function wordsOff(a: readonly string[], b: readonly string[]): number {
  const reach = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= 2 * NEAR_WORDS; d++) {
    for (let k = -d; k <= d; k += 2) {
      const [below, above] = [reach.get(k - 1) ?? -1, reach.get(k + 1) ?? -1];
      let x = k === -d || (k !== d && below < above) ? above : below + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return Math.ceil(d / 2);
    }
  }
  return Number.POSITIVE_INFINITY;
}

/** Merges one adversarial input in a process of its own, for its memory. */
function probe(input: string): Probe {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--probe", input], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`probe ${input} failed: ${child.stderr}`);
  return JSON.parse(child.stdout) as Probe;
}

function runProbe(input: string): void {
  const make = adversaries()[input];
  if (make === undefined) throw new Error(`no such input: ${input}`);
  const [base, local, remote] = make();
  let result: MergeResult | undefined;
  const ms = cpuMs(() => {
    result = mergeText(base, local, remote);
  });
  const end = result?.kind === "clean" ? result.how : `conflict: ${result?.reason}`;
  console.log(
    JSON.stringify({ input, cpuMs: Math.round(ms), peakMb: Math.round(process.resourceUsage().maxRSS / 1024), end }),
  );
}
