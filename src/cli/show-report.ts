/** Prints the report of a sync: one line of summary, then the problems to fix. */

import {
  describeAction,
  formatActionPath,
  formatOrigin,
  readActionPath,
} from "../mirror/operations/results/actions.ts";
import type { WaitReport } from "../mirror/operations/manual/wait.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import { UNAPPROVABLE_REASONS } from "../mirror/planner/plan-types.ts";
import type { Io } from "./command.ts";
import { EXIT, EXIT_BY_STATE, type ExitCode, reportTrouble } from "./exit.ts";
import { makeFaultTrouble } from "../mirror/folder/trouble.ts";
import { NEXT_OF_STOP, listStopSteps } from "../mirror/operations/results/attention.ts";
import {
  describeCopyRename,
  describeInertLinks,
  describeProblems,
  describeRename,
  formatCounts,
} from "../mirror/operations/results/report.ts";
import { formatAttention } from "./show-attention.ts";
import { choosePaint, cutLines, type Paint } from "./text.ts";
import { count, plural } from "../common/quantities.ts";
import { shownName, shownWords } from "../common/shown-words.ts";
import { compareByPath } from "../mirror/model/by-path.ts";

/**
 * LIMIT: number of printed problems, stopped actions and paths, to keep the output short. `--json`
 * prints more.
 */
const MAX_SHOWN_ROWS = 20;

/**
 * @param took duration of the sync in milliseconds
 * @param url address of the service, for the message about a service that does not answer
 */
export function showReport(io: Io, report: RunReport, took: number, url: string): void {
  io.out(formatSummary(report, took, choosePaint(io)));
  for (const line of formatOneTimeLines(report)) io.err(line);
  for (const line of describeInertLinks(report)) io.out(line);
  showOpenProblems(io, report, report.attention, url);
}

type SyncSummary = {
  readonly json: boolean;
  /** Local paths of the documents that the command changed. */
  readonly paths: readonly string[];
  /** Start of the sync in milliseconds, by the monotonic clock. */
  readonly began: number;
  readonly url: string;
};

/**
 * Prints the report of the sync that follows a command. Returns the exit code, which ignores
 * problems of documents that the command did not change. Prints only the number of such problems.
 */
export function showSync(io: Io, report: RunReport, { json, paths, began, url }: SyncSummary): ExitCode {
  const ownProblems = report.attention.filter(({ path }) => path === "" || paths.includes(path));
  const isDone = report.state === "attention" && ownProblems.length === 0 && report.isStopped !== true;
  const ownReport = { ...report, attention: ownProblems, state: isDone ? "in-sync" : report.state };
  if (json) return EXIT_BY_STATE[ownReport.state];
  showReport(io, ownReport, io.clock.monotonic() - began, url);
  const otherProblems = report.attention.length - ownProblems.length;
  if (otherProblems > 0) io.out(`${plural(otherProblems, "other document")} with open problems: mdmirror status`);
  return EXIT_BY_STATE[ownReport.state];
}

export function showActionRequired(io: Io, report: RunReport, url: string): void {
  const attention = report.attention.filter(({ waits }) => !waits);
  for (const line of formatOneTimeLines(report)) io.err(line);
  showOpenProblems(io, report, attention, url);
}

/** Returns a line for each renamed file, and for each change that a one-way sync does not make. */
export function formatOneTimeLines({ renamed = [], movedOutOfWay = [], oneWay = [] }: RunReport): string[] {
  const notSyncedLines = oneWay.map(({ path, detail }) => `${shownName(path)}: not synced: ${shownWords(detail)}`);
  return [
    ...cutLines(notSyncedLines, MAX_SHOWN_ROWS, "", " not synced: mdmirror plan --all"),
    ...renamed.slice(0, MAX_SHOWN_ROWS).map(({ from, to }) => `${shownName(to)}: renamed: ${describeRename(from, to)}`),
    ...movedOutOfWay
      .slice(0, MAX_SHOWN_ROWS)
      .map(({ path, keptAs }) => `${shownName(path)}: ${shownWords(describeCopyRename(keptAs))}`),
  ];
}

function showOpenProblems(io: Io, report: RunReport, all: RunReport["attention"], url: string): void {
  if (report.fault !== null) reportTrouble(io, makeFaultTrouble(report.fault, url));
  if (report.safetyStop !== null) showStop(io, report.safetyStop.reasons, report.stopped);
  // While the service is unreachable, nothing is scanned. The list then has only problems of
  // earlier syncs, which are not printed.
  const problems = report.state === "offline" ? [] : all;
  for (const line of formatAttention(problems, MAX_SHOWN_ROWS, choosePaint(io, "error"))) io.err(line);
}

type StopReasons = NonNullable<RunReport["safetyStop"]>["reasons"];

function showStop(io: Io, reasons: StopReasons, stopped: RunReport["stopped"]): void {
  const paint = choosePaint(io, "error");
  for (const { reason, detail } of reasons) io.err(`${paint.bad("Stopped")}: ${shownWords(detail)} (${reason})`);
  // If the linked folder itself is missing, all files seem to be deleted. The user did not make
  // these deletions, so they are not listed.
  const shownActions = reasons.some(({ reason }) => UNAPPROVABLE_REASONS.has(reason)) ? [] : stopped;
  const namedActions = shownActions
    .map((action) => ({
      words: describeAction(action),
      path: readActionPath(action, () => null),
      name: formatActionPath(action, () => null),
    }))
    // The arrow `·` marks a step that only updates the state file, and so changes neither side.
    .filter(({ words }) => words.arrow !== "·")
    .toSorted(compareByPath);
  const lines = namedActions.map(({ words, name }) => `    ${words.arrow} ${words.label}: ${name}`);
  for (const line of cutLines(lines, MAX_SHOWN_ROWS, "    ", ": mdmirror plan --all")) io.err(line);
  if (reasons.some(({ reason }) => reason === "conflict-flood")) {
    io.err("  next: to let one side win where both are new: mdmirror init DIR --prefer local | remote; otherwise:");
  }
  for (const line of listStopSteps(reasons)) io.err(`  next: ${line}`);
}

function formatSummary(report: RunReport, took: number, paint: Paint): string {
  const seconds = `${(took / 1_000).toFixed(1)} s`;
  const doneWords = formatCounts(report.counts);
  const doneClause = doneWords ?? "nothing to do";
  switch (report.state) {
    case "in-sync":
      return `${paint.good("Synced")}: ${doneClause} (${seconds})`;
    case "attention":
      if (report.isStopped === true)
        return `${paint.asks("Interrupted")}: ${doneWords ?? "nothing was done"} (${seconds})`;
      return `${paint.asks("Synced")}: ${doneClause} (${seconds}); ${paint.asks(describeProblems(report.attention))}`;
    case "stopped":
      return `${paint.bad("Stopped by a safety check")}: ${doneWords ?? "nothing was done"} (${seconds})`;
    case "offline":
      return `${paint.bad("Offline")}: ${doneWords ?? "nothing was done"} (${seconds})`;
  }
}

type WaitState = {
  readonly exit: ExitCode;
  readonly words: string;
  /** Next step for the user that applies to all paths, and is printed once. */
  readonly next?: string;
  /**
   * Words after "waiting" for a path without an open problem: what must happen before the path is
   * on the service.
   */
  readonly waitReason?: string;
};

const WAIT_STATES: Readonly<Record<WaitReport["state"], WaitState>> = {
  live: { exit: EXIT.inSync, words: "On the service" },
  "in-review": { exit: EXIT.inReview, words: "in review" },
  attention: { exit: EXIT.attention, words: "action required" },
  "too-slow": { exit: EXIT.tooSlow, words: "timed out" },
  paused: {
    exit: EXIT.attention,
    words: "paused",
    next: "mdmirror resume, or once: mdmirror sync",
    waitReason: " until the daemon resumes",
  },
  stopped: {
    exit: EXIT.stopped,
    words: "stopped by a safety check",
    next: NEXT_OF_STOP,
    waitReason: " until you approve or reject the changes that a safety check stopped",
  },
  offline: {
    exit: EXIT.offline,
    words: "offline",
    next: "mdmirror status; try again: mdmirror sync",
    waitReason: " for the service",
  },
};

export function findExitOfWait({ state }: WaitReport): ExitCode {
  return WAIT_STATES[state].exit;
}

/**
 * Prints the result of `mdmirror wait` or `sync --wait-for`.
 * @param quiet true to print only paths that are not on the service, on standard error
 * @param took duration of the wait in milliseconds
 */
export function showWaitReport(
  io: Io,
  report: WaitReport,
  { quiet, took }: { readonly quiet: boolean; readonly took: number },
): void {
  if (!quiet) io.out(formatWaitSummary(report, took, choosePaint(io)));
  showOpenPaths(io, report);
}

function showOpenPaths(io: Io, waited: WaitReport): void {
  const openPaths = waited.paths.filter(({ state }) => state !== "live" && state !== "gone");
  const paint = choosePaint(io, "error");
  const entries = openPaths.map((entry) => formatWaitPath(entry, waited.state, paint));
  for (const line of cutLines(entries, MAX_SHOWN_ROWS, "", ": mdmirror wait --json")) io.err(line);
  const { next } = WAIT_STATES[waited.state];
  if (next !== undefined) io.err(`  next: ${next}`);
}

function formatWaitSummary({ state, live, documents, detail }: WaitReport, took: number, paint: Paint): string {
  const seconds = `(${(took / 1_000).toFixed(1)} s)`;
  const { words, next } = WAIT_STATES[state];
  if (state === "live") return `${paint.good(words)}: ${plural(documents, "document")} ${seconds}`;
  const detailClause = next === undefined || detail === "" ? "" : `: ${shownWords(detail)}`;
  return `${paint.asks(words)}${detailClause}; on the service: ${count(live)} of ${plural(documents, "document")} ${seconds}`;
}

function formatWaitPath(
  { path, state, reviews, kind, code, detail, requestId, next }: WaitReport["paths"][number],
  all: WaitReport["state"],
  paint: Paint,
): string[] {
  const reviewIds = reviews.length === 0 ? "" : ` (${reviews.join(", ")})`;
  const head = `${paint.strong(path === "" ? "." : shownName(path))}: ${paint.asks(state)}${reviewIds}`;
  if (kind === null && state !== "waiting") return [head];
  if (kind === null)
    return [`${head}${WAIT_STATES[all].waitReason ?? ": it is being uploaded, keeps changing, or cannot be read"}`];
  const message = `${head}: ${shownWords(detail)}${formatOrigin(code, requestId)}`;
  return [message, paint.dim(`  next: ${shownWords(next)}`)];
}
