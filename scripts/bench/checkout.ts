/**
 * Measures `mdmirror watch` when a version control system changes many documents in one go, on the
 * real disk, against the embedded service over HTTP:
 * `npm run bench -- checkout [--documents 100000] [--touched 10000] [--fixture DIR] [--json FILE]
 * [--node OPTION]…`
 * The folder is a git repository with two branches; `git checkout` goes to the other one and back.
 * Shown for each: until the last request of it, requests by method, memory, processor time.
 * `--fixture`: a folder to keep the workspace and the mirror in, used again by the next run.
 * Linux (reads /proc).
 */
import { execFileSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { saveResult } from "../results.ts";
import { type Fixture, openFixture, pathOf, startWatch, stop, usage } from "./watching-fixture.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "100000" },
    touched: { type: "string", default: "10000" },
    fixture: { type: "string" },
    node: { type: "string", multiple: true },
    json: { type: "string" },
  },
});
const [documents, touched] = [Number(values.documents), Number(values.touched)];
/** So long nothing may be asked until it counts as quiet: less than between two looks at rest. */
const QUIET_MS = 4_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function git(root: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"];
  execFileSync("git", [...who, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

/** A branch `main` with all documents as they are, and one with another text in some of them. */
function makeBranches(root: string): void {
  if (existsSync(join(root, ".git"))) {
    git(root, "checkout", "-q", "main");
    return;
  }
  git(root, "init", "-q", "-b", "main");
  writeFileSync(join(root, ".git/info/exclude"), ".mdmirror\n");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "as it is");
  git(root, "checkout", "-q", "-b", "other");
  for (let n = 0; n < touched; n++) {
    const file = join(root, pathOf(Math.floor((n * documents) / touched)));
    writeFileSync(file, `${readFileSync(file, "utf8")}\nA line of the other branch.\n`);
  }
  git(root, "commit", "-q", "-a", "-m", "another text");
  git(root, "checkout", "-q", "main");
}

type Round = {
  readonly branch: string;
  readonly quietMs: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly peakMb: number;
  readonly cpuMs: number;
};

async function measureCheckout(fixture: Fixture, watching: ChildProcess, branch: string): Promise<Round> {
  const requests: Record<string, number> = {};
  let last = 0;
  fixture.onRequest = (method, at) => {
    requests[method] = (requests[method] ?? 0) + 1;
    last = at;
  };
  const before = usage(watching);
  git(fixture.root, "checkout", "-q", branch);
  const since = performance.now();
  while ((requests["PUT"] ?? 0) < touched || performance.now() - last < QUIET_MS) await pause(100);
  const quietMs = last - since;
  fixture.onRequest = () => undefined;
  return { branch, quietMs, requests, peakMb: peakOf(watching), cpuMs: usage(watching).cpuMs - before.cpuMs };
}

/** The most resident memory of a process so far. */
function peakOf({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024;
}

const dir = values.fixture ?? mkdtempSync(join(tmpdir(), "mdmirror-bench-checkout-"));
const fixture = await openFixture(dir, documents);
makeBranches(fixture.root);
const watching = await startWatch(fixture, values.node ?? []);
await pause(5_000);
const atRest = { rssMb: usage(watching).rss, peakMb: peakOf(watching) };
console.log(`${documents} documents at rest: ${atRest.rssMb.toFixed(0)} MB, at most ${atRest.peakMb.toFixed(0)} MB`);
const rounds: Round[] = [];
for (const branch of ["other", "main"]) {
  const round = await measureCheckout(fixture, watching, branch);
  rounds.push(round);
  console.log(
    `git checkout of ${touched}: quiet after ${(round.quietMs / 1_000).toFixed(1)} s, ${JSON.stringify(round.requests)}, ` +
      `at most ${round.peakMb.toFixed(0)} MB, ${(round.cpuMs / 1_000).toFixed(1)} s of processor time`,
  );
}
await stop(watching);
await fixture.close();
saveResult(values.json, { documents, touched, atRest, rounds });
if (values.fixture === undefined) rmSync(dir, { recursive: true, force: true });
