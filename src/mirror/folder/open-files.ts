import { readFileSync } from "node:fs";
import type { Trouble } from "../../common/trouble.ts";

/**
 * Number of files that a run has open at the same time: databases, folders, connections, Node's
 * own.
 */
const NEEDED = 64;

/**
 * Checks whether a low limit of open files explains an error: with less than some 64, a run can
 * fail anywhere. LIMIT: only on Linux.
 * @returns null if the limit is high enough, or unknown
 */
export function fewOpenFiles(limits: () => string = readLimits): Trouble | null {
  const most = Number(/^Max open files +(\d+)/m.exec(limits())?.[1] ?? NEEDED);
  if (most >= NEEDED) return null;
  return {
    kind: "fault",
    what: `this process may open ${most} files at a time, and mdmirror needs ${NEEDED}`,
    next: "raise that limit (ulimit -n 1024), then run the command again; nothing is lost",
  };
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // The system has no such file, or no file can be opened at all.
    return "";
  }
}
