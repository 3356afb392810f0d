import { originClause } from "../mirror/operations/results/origin.ts";
import type { WaitReport } from "../mirror/operations/results/waited.ts";
import { NEXT_OF_STOP } from "../mirror/operations/results/attention.ts";
import { count, plural } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { type Paint, paintFor } from "./text.ts";

/** Shows the result of a wait: one line, then each path that is not on the service yet. */

const EXITS: Readonly<Record<WaitReport["state"], ExitCode>> = {
  live: EXIT.inSync,
  "in-review": EXIT.inReview,
  attention: EXIT.attention,
  paused: EXIT.attention,
  "too-slow": EXIT.tooSlow,
  stopped: EXIT.stopped,
  offline: EXIT.offline,
};

/** LIMIT: paths on screen; `--json` has up to a thousand. */
const MOST = 20;

export function exitOfWait({ state }: WaitReport): ExitCode {
  return EXITS[state];
}

/**
 * Prints the result of a wait.
 * @param quiet no standard output, and nothing about success
 * @param took milliseconds
 */
export function showWaited(
  io: Io,
  report: WaitReport,
  { quiet, took }: { readonly quiet: boolean; readonly took: number },
): void {
  if (!quiet) io.out(summaryLine(report, took, paintFor(io)));
  showOpen(io, report);
}

function showOpen(io: Io, waited: WaitReport): void {
  const open = waited.paths.filter(({ state }) => state !== "live" && state !== "gone");
  const paint = paintFor(io, "error");
  for (const one of open.slice(0, MOST)) for (const line of linesOf(one, waited.state, paint)) io.err(line);
  if (open.length > MOST) io.err(`… and ${count(open.length - MOST)} more: mdmirror wait --json`);
  const next = NEXT[waited.state];
  if (next !== undefined) io.err(`  next: ${next}`);
}

/** Next steps by state. A next step that all paths share is shown once. */
const NEXT: Readonly<Partial<Record<WaitReport["state"], string>>> = {
  paused: "mdmirror resume, or once: mdmirror sync",
  stopped: NEXT_OF_STOP,
  offline: "mdmirror status; try again: mdmirror sync",
};

/** Reasons by state, for paths without an open problem. */
const WAITS: Readonly<Partial<Record<WaitReport["state"], string>>> = {
  paused: "until the daemon resumes",
  stopped: "until you approve or reject the changes that a safety check stopped",
  offline: "for the service",
};

const STILL_WAITS = "it is being uploaded, keeps changing, or cannot be read";

const WAIT_SENTENCES: Readonly<Record<Exclude<WaitReport["state"], "live">, string>> = {
  "in-review": "in review",
  attention: "action required",
  "too-slow": "timed out",
  stopped: "stopped by a safety check",
  offline: "offline",
  paused: "paused",
};

function summaryLine({ state, live, documents, detail }: WaitReport, took: number, paint: Paint): string {
  const seconds = `(${(took / 1_000).toFixed(1)} s)`;
  if (state === "live") return `${paint.good("On the service")}: ${plural(documents, "document")} ${seconds}`;
  const why = NEXT[state] === undefined || detail === "" ? "" : `: ${shownWords(detail)}`;
  return `${paint.asks(WAIT_SENTENCES[state])}${why}; on the service: ${count(live)} of ${plural(documents, "document")} ${seconds}`;
}

function linesOf(
  { path, state, reviews, kind, code, detail, requestId, next }: WaitReport["paths"][number],
  all: WaitReport["state"],
  paint: Paint,
): string[] {
  const ids = reviews.length === 0 ? "" : ` (${reviews.join(", ")})`;
  const head = `${paint.strong(path === "" ? "." : shownName(path))}: ${paint.asks(state)}${ids}`;
  if (kind === null && state !== "waiting") return [head];
  if (kind === null) return [`${head}${WAITS[all] === undefined ? `: ${STILL_WAITS}` : ` ${WAITS[all]}`}`];
  const message = `${head}: ${shownWords(detail)}${originClause(code, requestId)}`;
  return [message, paint.dim(`  next: ${shownWords(next)}`)];
}
