import { STAYS } from "../mirror/operations/doctor/why-plan.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import type { WaitAnswer, Waited } from "../mirror/daemon/control/waited.ts";
import { waitedJson } from "../mirror/operations/results/waited.ts";
import { NEXT_OF_STOP } from "../mirror/operations/results/attention.ts";
import { nextFor } from "../mirror/operations/results/next-step.ts";
import { trouble } from "../common/trouble.ts";
import { count, plural } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { jsonLine } from "./json-line.ts";
import { type Paint, paintFor } from "./paint.ts";

/** Shows the result of a wait: one line, then each path that is not on the service yet. */

const EXITS: Readonly<Record<Waited["state"], ExitCode>> = {
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

type Telling = { readonly json: boolean; readonly quiet: boolean; readonly took: number };

/**
 * Prints the result of a wait.
 * @param quiet no standard output, and nothing about success
 * @param took milliseconds
 */
export function printWaitResult(io: Io, answer: WaitAnswer, { json, quiet, took }: Telling): ExitCode {
  if (answer.kind === "outside") return tellOutside(io, answer.outside);
  if (json) io.out(jsonLine(waitedJson(answer)));
  else {
    if (!quiet) io.out(summaryLine(answer, took, paintFor(io)));
    showOpen(io, answer);
  }
  return EXITS[answer.state];
}

/** Returns the member that `sync --json` has with `--wait-for`. */
export function waitedBeside(answer: WaitAnswer): object {
  return answer.kind === "outside" ? {} : { waited: waitedJson(answer) };
}

/** Reports paths that are never uploaded: naming such a path is a mistake of the caller. */
function tellOutside(io: Io, outside: Extract<WaitAnswer, { kind: "outside" }>["outside"]): ExitCode {
  const [first] = outside;
  const more = outside.length > 1 ? ` (and ${count(outside.length - 1)} more of the paths)` : "";
  const { why } = first!;
  const unknown = why === "unknown";
  const words = unknown
    ? "this path does not exist and was never synced"
    : why === "mirror-folder"
      ? "the folder of mdmirror itself"
      : STAYS[why];
  const next = unknown ? "check the path: it is relative to the current folder" : "mdmirror why PATH";
  return complain(io, trouble("usage", `${first!.path} is not synced: ${words}${more}`, next).trouble);
}

function showOpen(io: Io, waited: Waited): void {
  const open = waited.paths.filter(({ state }) => state !== "live" && state !== "gone");
  const paint = paintFor(io, "error");
  for (const one of open.slice(0, MOST)) for (const line of linesOf(one, waited.state, paint)) io.err(line);
  if (open.length > MOST) io.err(`… and ${count(open.length - MOST)} more: mdmirror wait --json`);
  const next = NEXT[waited.state];
  if (next !== undefined) io.err(`  next: ${next}`);
}

/** Next steps by state. A next step that all paths share is shown once. */
const NEXT: Readonly<Partial<Record<Waited["state"], string>>> = {
  paused: "mdmirror resume, or once: mdmirror sync",
  stopped: NEXT_OF_STOP,
  offline: "mdmirror status; try again: mdmirror sync",
};

/** Reasons by state, for paths without an open problem. */
const WAITS: Readonly<Partial<Record<Waited["state"], string>>> = {
  paused: "until the daemon resumes",
  stopped: "until you approve or reject the changes that a safety check stopped",
  offline: "for the service",
};

const STILL_WAITS = "it is being uploaded, keeps changing, or cannot be read";

const SAID: Readonly<Record<Exclude<Waited["state"], "live">, string>> = {
  "in-review": "in review",
  attention: "action required",
  "too-slow": "timed out",
  stopped: "stopped by a safety check",
  offline: "offline",
  paused: "paused",
};

function summaryLine({ state, live, documents, still }: Waited, took: number, paint: Paint): string {
  const seconds = `(${(took / 1_000).toFixed(1)} s)`;
  if (state === "live") return `${paint.good("On the service")}: ${plural(documents, "document")} ${seconds}`;
  const why = still.kind !== "none" && still.kind === state ? `: ${shownWords(still.detail)}` : "";
  return `${paint.asks(SAID[state])}${why}; on the service: ${count(live)} of ${plural(documents, "document")} ${seconds}`;
}

function linesOf(
  { path, state, reviews, open }: Waited["paths"][number],
  all: Waited["state"],
  paint: Paint,
): string[] {
  const ids = reviews.length === 0 ? "" : ` (${reviews.join(", ")})`;
  const head = `${paint.strong(path === "" ? "." : shownName(path))}: ${paint.asks(state)}${ids}`;
  if (open === null && state !== "waiting") return [head];
  if (open === null) return [`${head}${WAITS[all] === undefined ? `: ${STILL_WAITS}` : ` ${WAITS[all]}`}`];
  const said = `${head}: ${shownWords(open.detail)}${originClause(open.code, open.requestId)}`;
  return [said, paint.dim(`  next: ${shownWords(nextFor(open))}`)];
}
