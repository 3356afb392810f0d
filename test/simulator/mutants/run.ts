import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Throw } from "./caught.ts";
import type { PlantedFault } from "./fault.ts";

/** Runs each mutant in a process of its own, two at a time. */

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
const AT_ONCE = 2;
/**
 * A mutant may never end. A timeout does not count as caught, because a busy machine is slow too.
 */
const DEADLINE_MS = 600_000;

export type FaultEnd = {
  readonly job: Job;
  readonly end: Throw | { readonly kind: "hung" } | { readonly kind: "broken"; readonly why: string };
  readonly ms: number;
};

export type Job = {
  readonly fault: PlantedFault | null;
  /** The group that is tried before the others. */
  readonly drills: string | null;
  /** The test that is tried before all others. */
  readonly first: string | null;
  readonly tests: readonly string[];
  /** Number of seeds for simulation runs. */
  readonly lives: number;
};

/** Returns the job of the suite that belongs to the mutant. */
export function jobOf(fault: PlantedFault): Job {
  return typeof fault.net === "string"
    ? { fault, drills: fault.net, first: null, tests: [], lives: 0 }
    : { fault, drills: null, first: null, tests: fault.net, lives: 0 };
}

/** Returns the job of the simulation runs alone. */
export function livesJobOf(fault: PlantedFault | null, lives: number): Job {
  return { fault, drills: null, first: null, tests: [], lives };
}

/** Returns the same tests without a mutant: they must pass, otherwise "caught" means nothing. */
export function controlsOf(faults: readonly PlantedFault[]): readonly Job[] {
  const jobs = faults.map(jobOf);
  const tests = [...new Set(jobs.flatMap((job) => job.tests))].sort();
  const drills = jobs.some((job) => job.drills !== null);
  return [
    ...(drills ? [{ fault: null, drills: "guards", first: null, tests: [], lives: 0 }] : []),
    ...(tests.length > 0 ? [{ fault: null, drills: null, first: null, tests, lives: 0 }] : []),
  ];
}

export async function runJobs(jobs: readonly Job[], onEnd: (end: FaultEnd) => void): Promise<FaultEnd[]> {
  const ends: FaultEnd[] = [];
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

function runJob({ fault, drills, first, tests, lives }: Job): Promise<FaultEnd["end"]> {
  const args = [CHILD, ...(drills === null ? [] : ["--drills", drills]), ...tests.flatMap((file) => ["--tests", file])];
  if (first !== null) args.push("--first", first);
  if (lives > 0) args.push("--lives", String(lives));
  if (fault !== null) args.push("--fault", fault.id);
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
      settle(code === 0 && last.startsWith("{") ? (JSON.parse(last) as Throw) : { kind: "broken", why: errors.trim() });
    });
  });
}

/** Returns whether a mutant was caught, by which test, and the first broken promise. */
export function readEnd({ end }: FaultEnd): {
  readonly caught: boolean;
  readonly by: string;
  readonly says: string;
} {
  if ("kind" in end) {
    if (end.kind === "hung") return { caught: false, by: "deadline", says: "does not end" };
    return { caught: false, by: "broken", says: end.why.split("\n").slice(-6).join(" ") };
  }
  if (end.caught !== null) return { caught: true, by: end.caught.by, says: end.caught.says };
  return { caught: false, by: "-", says: end.reached ? "" : "the net never loads what the fault is in" };
}
