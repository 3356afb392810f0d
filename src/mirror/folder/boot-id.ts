import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

type BootIdSources = {
  readonly platform?: NodeJS.Platform;
  readonly file?: string;
  /** Absolute path of the macOS program that prints the boot id. Cron's PATH lacks its folder. */
  readonly sysctl?: string;
};

const DEADLINE_MS = 3_000;

/**
 * Reads the id of the machine's last start. If the machine has restarted since the last sync, a
 * power loss may have damaged a changed file, and the change need not be an edit.
 * @returns null if the system has no such id; every changed file then counts as edited
 */
export function readBootId(sources: BootIdSources = {}): string | null {
  const { platform = process.platform, file = "/proc/sys/kernel/random/boot_id" } = sources;
  const id = platform === "darwin" ? askSysctl(sources.sysctl ?? "/usr/sbin/sysctl") : readOrNull(file);
  return id === null || id.trim() === "" ? null : id.trim();
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The id is unknown: the system has no such file, or a sandbox hides it.
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
