import { readFileSync } from "node:fs";
import type { Trouble } from "../../common/trouble.ts";

/** How many files a run has open at a time: databases, folders, connections, Node's own. */
const NEEDED = 64;

/**
 * What else can be wrong where something failed: below some 64 open files it fails at any place,
 * and in words of whoever asked for one more. LIMIT: Linux alone tells.
 * @returns null where the limit is no such one, or not known
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
    // Another system, or none of the few is left.
    return "";
  }
}
