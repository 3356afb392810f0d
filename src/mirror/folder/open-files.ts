import { readFileSync } from "node:fs";
import type { Trouble } from "../../common/trouble.ts";

/** Files that a run has open at a time: databases, folders, connections, Node's own. */
const NEEDED = 64;

/**
 * Checks whether too low a limit of open files explains a failure: below some 64 it fails at any
 * place. LIMIT: only on Linux.
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
    // Another system, or no file can be opened at all.
    return "";
  }
}
