import type { RunReport } from "../mirror/folder/run.ts";
import { byPath } from "../mirror/model/by-path.ts";
import { shownName } from "../common/shown-name.ts";
import { plural } from "../common/count.ts";
import { firstLines } from "./when.ts";
import { attentionLines } from "./show-attention.ts";

/**
 * Finds the problems that `watch` reports after each run: the new ones, those that ended, and how
 * many are left.
 */

type Attention = RunReport["attention"][number];

/** LIMIT: problems of each kind that are named after a run. */
const MOST = 20;

/**
 * Returns a function that gives the lines for the end of a run. The function remembers what it
 * reported for each folder.
 */
export function trackProblems(): (
  root: string,
  report: Pick<RunReport, "attention" | "state" | "foreseen">,
) => string[] {
  const known = new Map<string, ReadonlyMap<string, Attention>>();
  return (root, { attention, state, foreseen }) => {
    // Offline, nothing was scanned, so no problem began or ended.
    if (state === "offline") return [];
    const needing = attention.filter(({ waits }) => !waits);
    const now = new Map(needing.map((one) => [keyOf(one), one]));
    const before = known.get(root) ?? new Map<string, Attention>();
    known.set(root, now);
    const fresh = needing.filter((one) => !before.has(keyOf(one)));
    const ended = [...before.values()].filter((one) => !needing.some((other) => isSameTrouble(one, other)));
    if (fresh.length === 0 && ended.length === 0) return [];
    // Other lines announce a stop that has happened or is expected.
    const isAsked = now.size === 0 && (state === "stopped" || foreseen !== undefined);
    const left = !isAsked && (now.size > fresh.length || ended.length > 0) ? [leftLine(now.size)] : [];
    return [...attentionLines(fresh, MOST), ...endedLines(ended), ...left];
  };
}

function keyOf({ path, kind, code, detail }: Attention): string {
  return JSON.stringify([path, kind, code, detail]);
}

/** Returns true if both are the same problem, even if their descriptions differ. */
function isSameTrouble(a: Attention, b: Attention): boolean {
  return a.path === b.path && a.kind === b.kind;
}

function endedLines(ended: readonly Attention[]): readonly string[] {
  const sorted = ended.toSorted(byPath);
  const lines = sorted.map(({ path, kind }) => `ended: ${path === "" ? "" : `${shownName(path)}: `}${kind}`);
  return firstLines(lines, MOST, "", " are fixed");
}

function leftLine(left: number): string {
  if (left === 0) return "no problem is left";
  return left === 1
    ? "1 problem left to fix: mdmirror status"
    : `${plural(left, "problem")} left to fix: mdmirror status`;
}
