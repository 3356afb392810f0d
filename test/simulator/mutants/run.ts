import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SuiteEnd } from "./caught.ts";
import type { Mutant } from "./mutant.ts";

/** Runs each mutant in a process of its own, two at a time. */

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
const AT_ONCE = 2;
/**
 * A mutant may never end. A timeout does not count as caught, because a busy machine is slow too.
 */
const DEADLINE_MS = 600_000;

export type MutantEnd = {
  readonly job: Job;
  readonly end: SuiteEnd | { readonly kind: "hung" } | { readonly kind: "broken"; readonly why: string };
  readonly ms: number;
};

export type Job = {
  readonly mutant: Mutant | null;
  /** The group that is tried before the others. */
  readonly faultTests: string | null;
  /** The test that is tried before all others. */
  readonly first: string | null;
  readonly tests: readonly string[];
  /** Number of seeds for simulation runs. */
  readonly simulations: number;
};

/** Returns the job of the suite that belongs to the mutant. */
export function jobOf(mutant: Mutant): Job {
  return typeof mutant.net === "string"
    ? { mutant, faultTests: mutant.net, first: null, tests: [], simulations: 0 }
    : { mutant, faultTests: null, first: null, tests: mutant.net, simulations: 0 };
}

/** Returns the job of the simulation runs alone. */
export function runsJobOf(mutant: Mutant | null, simulations: number): Job {
  return { mutant, faultTests: null, first: null, tests: [], simulations };
}

/** Returns the same tests without a mutant: they must pass, otherwise "caught" means nothing. */
export function controlsOf(mutants: readonly Mutant[]): readonly Job[] {
  const jobs = mutants.map(jobOf);
  const tests = [...new Set(jobs.flatMap((job) => job.tests))].sort();
  const faultTests = jobs.some((job) => job.faultTests !== null);
  return [
    ...(faultTests ? [{ mutant: null, faultTests: "guards", first: null, tests: [], simulations: 0 }] : []),
    ...(tests.length > 0 ? [{ mutant: null, faultTests: null, first: null, tests, simulations: 0 }] : []),
  ];
}

export async function runJobs(jobs: readonly Job[], onEnd: (end: MutantEnd) => void): Promise<MutantEnd[]> {
  const ends: MutantEnd[] = [];
  const queue = jobs.values();
  const worker = async (): Promise<void> => {
    for (const job of queue) {
      const started = performance.now();
      const end = { job, end: await runJob(job), ms: performance.now() - started };
      ends.push(end);
      onEnd(end);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ends;
}

function runJob({ mutant, faultTests, first, tests, simulations }: Job): Promise<MutantEnd["end"]> {
  const args = [
    CHILD,
    ...(faultTests === null ? [] : ["--fault-tests", faultTests]),
    ...tests.flatMap((file) => ["--tests", file]),
  ];
  if (first !== null) args.push("--first", first);
  if (simulations > 0) args.push("--runs", String(simulations));
  if (mutant !== null) args.push("--mutant", mutant.id);
  return new Promise((settle) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      settle({ kind: "hung" });
    }, DEADLINE_MS);
    child.on("close", (code) => {
      clearTimeout(timer);
      const last = out.trimEnd().split("\n").at(-1) ?? "";
      settle(
        code === 0 && last.startsWith("{") ? (JSON.parse(last) as SuiteEnd) : { kind: "broken", why: errors.trim() },
      );
    });
  });
}

/** Returns whether a mutant was caught, by which test, and the first broken promise. */
export function readEnd({ end }: MutantEnd): {
  readonly caught: boolean;
  readonly by: string;
  readonly says: string;
} {
  if ("kind" in end) {
    if (end.kind === "hung") return { caught: false, by: "deadline", says: "does not end" };
    return { caught: false, by: "broken", says: end.why.split("\n").slice(-6).join(" ") };
  }
  if (end.caught !== null) return { caught: true, by: end.caught.by, says: end.caught.says };
  return { caught: false, by: "-", says: end.reached ? "" : "the suite never loads the file of the mutant" };
}
