/** Measures child processes: wall time from spawn to exit, and peak memory. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Counted } from "./service.ts";

export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const TIME = "/usr/bin/time";

const living = new Set<ChildProcess>();

/**
 * Records a child that leads its own process group (`detached`), so that it is killed with the
 * benchmark.
 */
export function track(child: ChildProcess): void {
  living.add(child);
  child.once("exit", () => living.delete(child));
}

/**
 * Kills all children when the benchmark is interrupted: /usr/bin/time would not kill the measured
 * process, and a daemon would run on.
 */
export function killChildren(): void {
  for (const { pid } of living) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

export type Finished = {
  readonly ms: number;
  readonly code: number | null;
  readonly out: string;
  /** Peak of resident memory; null without /usr/bin/time. */
  readonly peakMb: number | null;
  /** User and system time of all threads; null on systems other than Linux. */
  readonly cpuMs: number | null;
  /** Requests to the service, if they were counted. */
  readonly asked?: Counted;
};

type Start = { readonly env?: Readonly<Record<string, string>> };

/**
 * Runs a program to its end.
 * @throws with its output if it fails
 */
export async function runChild(program: string, args: readonly string[], { env }: Start = {}): Promise<Finished> {
  const timed = existsSync(TIME);
  const [file, all] = timed ? [TIME, ["-f", "bench-used=%M", program, ...args]] : [program, [...args]];
  const cpuBefore = cpuOfEndedChildren();
  const began = performance.now();
  const child = spawn(file, all, {
    cwd: PROJECT,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  track(child);
  let out = "";
  const hear = (chunk: Buffer) => {
    // LIMIT: the last 64 kB, because other programs list each file that they copy.
    out = `${out}${chunk.toString()}`.slice(-65_536);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = await new Promise<{ code: number | null; ms: number }>((resolve, reject) => {
    let ms = 0;
    child.once("error", reject);
    child.once("exit", () => {
      ms = performance.now() - began;
    });
    child.once("close", (code) => resolve({ code, ms }));
  });
  if (ended.code !== 0)
    throw new Error(`${program} ${args.slice(0, 3).join(" ")} … ended with ${ended.code}: ${out.trim().slice(-600)}`);
  const used = /bench-used=(\d+)/.exec(out);
  const peakMb = used === null ? null : Number(used[1]) / 1024;
  const cpuMs = cpuBefore === null ? null : cpuOfEndedChildren()! - cpuBefore;
  return { ...ended, out, peakMb, cpuMs };
}

/**
 * Returns the processor time of all children that have ended, in milliseconds; null on systems
 * other than Linux. The system rounds the sum to 10 ms. /usr/bin/time would round each child down,
 * a third of a `node -e 0`.
 */
function cpuOfEndedChildren(): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) * MS_A_TICK;
}

/** ASSUMES: 100 ticks a second, as on every present Linux. */
const MS_A_TICK = 10;

export type Usage = { readonly rssMb: number; readonly cpuMs: number };

/**
 * Returns memory and processor time (user and system, all threads) of a running process. Linux
 * only.
 */
export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return {
    rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_A_TICK,
  };
}
