import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

type Sources = {
  readonly platform?: NodeJS.Platform;
  /** Linux has it in this file. */
  readonly file?: string;
  /** macOS gets it from this program; absolute, because cron's PATH does not contain it. */
  readonly sysctl?: string;
};

const DEADLINE_MS = 3_000;

/**
 * Reads the id of this boot of the machine, which distinguishes a power loss from an edit.
 * @returns null if the system does not tell: a file that a power loss may have torn is then taken
 * as it is
 */
export function readBootId(sources: Sources = {}): string | null {
  const { platform = process.platform, file = "/proc/sys/kernel/random/boot_id" } = sources;
  const id = platform === "darwin" ? askSysctl(sources.sysctl ?? "/usr/sbin/sysctl") : readOrNull(file);
  return id === null || id.trim() === "" ? null : id.trim();
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No such file on this system, or a sandbox hides it: the boot is unknown.
    return null;
  }
}

function askSysctl(program: string): string | null {
  const { status, stdout } = spawnSync(program, ["-n", "kern.bootsessionuuid"], {
    encoding: "utf8",
    env: {},
    timeout: DEADLINE_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
