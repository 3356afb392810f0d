// Measures core/merge on real merges: node scripts/eval-merge.ts [--json] [--list] [FILE.jsonl[.gz]…]
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type MergeResult, mergeText } from "../src/core/merge.ts";
import { keepsCounts } from "../src/core/merge/words.ts";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Case = {
  id: string;
  gitClean: boolean;
  class: string;
  base: string;
  ours: string;
  theirs: string;
  resolved: string;
};
type Verdict = "conflict" | "equal" | "near" | "order" | "wrong";

const NEAR = 5;
const files = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
for (const file of files) {
  const text = readFileSync(file);
  const cases = (file.endsWith(".gz") ? gunzipSync(text).toString("utf8") : text.toString("utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case);
  const table = new Map<string, Record<string, number>>();
  const times: number[] = [];
  let guard = 0;
  for (const c of cases) {
    mergeText(c.base, c.theirs, c.ours);
    const t = process.cpuUsage();
    const m = mergeText(c.base, c.theirs, c.ours);
    const u = process.cpuUsage(t);
    times.push((u.user + u.system) / 1000);
    const key = `${c.class}${c.gitClean ? " git-clean" : ""}`;
    const row = table.get(key) ?? {};
    table.set(key, row);
    const v = judge(m, c);
    row["n"] = (row["n"] ?? 0) + 1;
    row[v] = (row[v] ?? 0) + 1;
    if (m.kind === "clean" && !keepsCounts(c.base, c.theirs, c.ours, m.text)) guard++;
    if (c.gitClean) {
      const git = gitMerge(c);
      const key2 = m.kind === "conflict" ? "git:conflict" : m.text === git ? "git:same" : "git:other";
      row[key2] = (row[key2] ?? 0) + 1;
    }
    if (process.argv.includes("--list"))
      console.log(v, m.kind === "clean" ? m.how : m.reason, c.class, c.gitClean, c.id);
  }
  times.sort((a, b) => a - b);
  console.log(file, table, {
    guard,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
    max: times.at(-1),
  });
}

function gitMerge(c: Case): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "merge-"));
  for (const k of ["base", "ours", "theirs"] as const) writeFileSync(join(dir, k), c[k]);
  const r = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], {
    cwd: dir,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  rmSync(dir, { recursive: true });
  return r.status === 0 ? r.stdout : undefined;
}

function judge(m: MergeResult, c: Case): Verdict {
  if (m.kind === "conflict") return "conflict";
  const a = m.text.split(/\s+/).filter(Boolean);
  const b = c.resolved.split(/\s+/).filter(Boolean);
  if (a.join(" ") === b.join(" ")) return "equal";
  if (distance(a, b) <= NEAR) return "near";
  const sorted = (t: string) =>
    t
      .split("\n")
      .map((l) => l.trim())
      .filter(Boolean)
      .sort()
      .join("\n");
  return sorted(m.text) === sorted(c.resolved) ? "order" : "wrong";
}

function distance(a: string[], b: string[]): number {
  // edit distance with insert+delete, banded
  const max = NEAR * 2;
  const v = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= max; d++) {
    for (let k = -d; k <= d; k += 2) {
      let x =
        k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1))
          ? (v.get(k + 1) ?? 0)
          : (v.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      v.set(k, x);
      if (x >= a.length && x - k >= b.length) return Math.ceil(d / 2);
    }
  }
  return Number.POSITIVE_INFINITY;
}
