import { formatAge, parseAge } from "../../common/quantities.ts";
import { USUAL_WAIT, waitFor, type WaitReport, type WaitRequest } from "../../mirror/operations/manual/wait.ts";
import { refuse, type Result, type Trouble } from "../../common/trouble.ts";
import type { RunReport, RunRequest } from "../../mirror/folder/run.ts";
import { type Args, type Command, type Io, pickContext } from "../command.ts";
import { EXIT_BY_STATE, type ExitCode, findExitOfTrouble, pickWorstExit, refuseUsage, reportTrouble } from "../exit.ts";
import { findMirror, locatePaths, FOLDER_OPERANDS } from "../find-mirror.ts";
import { hidesProgress, REACH_OPTIONS, type ReachOptions, readReachOptions, showProgress } from "../use-mirror.ts";
import { shownWords } from "../../common/shown-words.ts";
import { showPlan } from "./plan.ts";
import { syncMirror } from "../../mirror/operations/manual/sync.ts";
import { findExitOfWait, showActionRequired, showReport, showWaitReport } from "../show-report.ts";
import { findHooksFile } from "../../mirror/trust/gate.ts";
import { collectFacts, type HookFacts } from "../../mirror/hooks/events.ts";
import { runHooksAfterSync } from "../../mirror/hooks/run-hook.ts";
import { readFolderStatus } from "../../mirror/folder/status.ts";
import { join } from "node:path";
import { readConfig } from "../../mirror/settings/config.ts";
import { endTroubles, noteTrouble, type TransientKind } from "../../mirror/folder/transient-trouble.ts";
import { MIRROR_FOLDER, toPaths } from "../../mirror/model/mirror-folder.ts";
import { toReportJson } from "../../mirror/operations/results/report.ts";
import { formatJsonLine, printNotes } from "../text.ts";

export const command: Command = {
  about: [
    "Scans and syncs both sides, up to five times, until nothing is left to do. Prints one line. Suited for cron.",
    "Each sync sends again the changes that the service refused before; with --quiet, only once a day.",
    "If the folder's daemon is running, it lends the folder to sync, and then continues.",
    "Ctrl-C finishes the current step and stops; the next sync continues. A second Ctrl-C ends the process.",
  ],
  examples: ["mdmirror sync notes", "mdmirror sync --dry-run", "mdmirror sync --wait-for notes/plan.md --timeout 2m"],
  options: {
    "dry-run": { help: "show what sync would do and write nothing (as mdmirror plan)" },
    json: { help: "print one JSON object at the end" },
    quiet: { short: "q", help: "print nothing unless action is required or a problem has lasted for an hour" },
    "max-deletes": {
      value: "N",
      range: [0, 999_999_999],
      help: "let this sync delete up to N documents on each side without approval",
    },
    "pull-only": { help: "only download" },
    "push-only": { help: "only upload" },
    "wait-for": {
      value: "PATH",
      multiple: true,
      help: "afterwards wait for PATH as mdmirror wait does; may be repeated",
    },
    timeout: { value: "TIME", isTime: true, help: "longest time for --wait-for, such as 90s or 15m (default: 30s)" },
    ...REACH_OPTIONS,
  },
  operands: FOLDER_OPERANDS,
  async run(io, args) {
    const isDry = args.flag("dry-run");
    if (isDry && args.texts("wait-for").length > 0)
      refuseUsage("--dry-run and --wait-for exclude each other: a dry run uploads nothing");
    if (args.flag("pull-only") && args.flag("push-only")) refuseUsage("--pull-only and --push-only exclude each other");
    const root = findMirror(io, args.operands[0]);
    const waitRequest = readWaitRequest(io, root, args);
    const printOptions = { quiet: args.flag("quiet"), json: args.flag("json") };
    const reachOptions = readReachOptions(io, args);
    const request = {
      direction: args.flag("pull-only") ? "pull" : args.flag("push-only") ? "push" : "both",
      maxDeletes: args.number("max-deletes"),
      attended: io.terminal.output,
      byTimer: printOptions.quiet,
    } as const;
    return isDry
      ? showPlan(io, root, request, { ...reachOptions, quiet: printOptions.quiet || printOptions.json, all: false })
      : syncNow(io, root, request, { ...printOptions, wait: waitRequest }, reachOptions);
  },
};

/** Returns the paths in `--wait-for`, which must be in the synced folder; null without paths. */
function readWaitRequest(io: Io, root: string, args: Args): WaitRequest | null {
  const names = args.texts("wait-for");
  if (names.length === 0) return null;
  const location = locatePaths(io, names);
  if (location.root === root)
    return { paths: toPaths(location.paths), timeoutMs: args.ms("timeout") ?? parseAge(USUAL_WAIT)! };
  const message = `${names[0]} is in ${location.root}, but this sync runs in ${root}`;
  return refuse(message, "give paths in that linked folder");
}

async function syncNow(
  io: Io,
  root: string,
  request: RunRequest,
  printing: PrintOptions & { readonly wait: WaitRequest | null },
  reach: ReachOptions,
): Promise<ExitCode> {
  const { clock, stoppable } = io;
  const isSilent = printing.quiet || printing.json || hidesProgress(root);
  const progress = showProgress(io, isSilent);
  const stateBefore = await readStateForHooks(io, root);
  const startedAt = clock.monotonic();
  const options = { ...pickContext(io), progress, ...reach };
  const syncResult = await syncMirror(root, request, { ...options, stoppable }).finally(progress.end);
  if (syncResult.kind === "trouble") return printTrouble(io, root, syncResult.trouble, printing);
  const { report, url, notes } = syncResult.value;
  const tookMs = clock.monotonic() - startedAt;
  printNotes(io, notes);
  const isOver = report.state === "offline" || report.isStopped === true;
  const waitStartedAt = clock.monotonic();
  const waitResult = printing.wait === null || isOver ? null : await waitFor(root, printing.wait, options);
  const extraMembers = waitResult?.kind === "ok" ? { waited: waitResult.value } : {};
  const syncExit = printRun(io, root, report, { ...printing, url, took: tookMs, extra: extraMembers });
  const exitCode =
    waitResult === null ? syncExit : pickWorstExit([syncExit, printWaited(io, waitResult, printing, waitStartedAt)]);
  if (stateBefore !== null) await runHooks(io, stateBefore, report, printing.quiet);
  return exitCode;
}

/** @param began start of the wait in milliseconds, by the monotonic clock */
function printWaited(io: Io, waited: Result<WaitReport>, { quiet, json }: PrintOptions, began: number): ExitCode {
  if (waited.kind === "trouble") return reportTrouble(io, waited.trouble);
  showWaitReport(io, waited.value, { quiet: quiet || json, took: io.clock.monotonic() - began });
  return findExitOfWait(waited.value);
}

type StateForHooks = { readonly root: string; readonly facts: HookFacts };

/**
 * Reads the state of the folder before a sync, so that hooks can compare this state with the state
 * after the sync. Returns null if this sync runs no hooks: no hooks are configured, a daemon runs
 * the hooks, or a hook started this sync. A hook that starts hooks could start syncs without end.
 */
async function readStateForHooks(io: Io, root: string): Promise<StateForHooks | null> {
  if (findHooksFile(io.env) === null || io.env["MDMIRROR_HOOK"] !== undefined) return null;
  const reading = await readFolderStatus(root, { ...pickContext(io), mustBeAdmitted: true });
  if (reading.kind === "trouble" || reading.value.daemon !== null) return null;
  return { root, facts: collectFacts(root, reading.value.status) };
}

async function runHooks(io: Io, { root, facts }: StateForHooks, report: RunReport, isSilent: boolean): Promise<void> {
  const { stop } = io;
  const onNote = (note: string) => io.err(`mdmirror: ${shownWords(note)}`);
  if (io.terminal.error) io.status("running hooks …");
  const hooksResult = await runHooksAfterSync(root, facts, report, { ...pickContext(io), stop, onNote });
  if (io.terminal.error) io.status("");
  // A timer may run `sync --quiet` and mail the output. A problem of a hook would then be in every
  // mail, so only `mdmirror hooks` reports such problems.
  if (hooksResult.kind === "trouble" && !isSilent) reportTrouble(io, hooksResult.trouble);
}

type PrintOptions = { readonly quiet: boolean; readonly json: boolean };

type RunPrintOptions = PrintOptions & {
  readonly url: string;
  readonly took: number;
  /** Members of the JSON object in addition to those of the report. */
  readonly extra: object;
};

function printRun(io: Io, root: string, report: RunReport, printing: RunPrintOptions): ExitCode {
  const { quiet, json, url, took, extra } = printing;
  const isTransientProblem = isTransient(report);
  // mdmirror stores since when the folder has been `locked` or `offline`. This sync had the lock,
  // so the folder is no longer locked. If this sync reached the service, the folder is no longer
  // offline either.
  endTroubles(join(root, MIRROR_FOLDER), isTransientProblem ? ["locked"] : ["locked", "offline"]);
  if (json) io.out(formatJsonLine({ ...toReportJson(report), ...extra }));
  else if (!quiet) showReport(io, report, took, url);
  else if (!isTransientProblem) showActionRequired(io, report, url);
  else reportIfLasting(io, root, "offline", () => showActionRequired(io, report, url));
  return EXIT_BY_STATE[report.state];
}

/**
 * Prints why a sync could not start. With `--quiet`, prints that another process has the lock only
 * after some time; the exit code always says so.
 */
function printTrouble(io: Io, root: string, trouble: Trouble, { quiet, json }: PrintOptions): ExitCode {
  if (trouble.kind !== "locked" || !quiet || json) return reportTrouble(io, trouble);
  reportIfLasting(io, root, "locked", () => void reportTrouble(io, trouble));
  return findExitOfTrouble(trouble);
}

function reportIfLasting(io: Io, root: string, kind: TransientKind, report: () => void): void {
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  const quietMs = config.kind === "ok" ? (parseAge(config.value.interface.quietFor) ?? 0) : 0;
  const lastedMs = noteTrouble(folder, kind, io.clock.now(), quietMs);
  if (lastedMs === null) return;
  report();
  if (lastedMs > 0) io.err(`  this has lasted for ${formatAge(lastedMs)}; reported again after a day`);
}

/**
 * Returns true if the service is unreachable for a reason that may end without the user. Returns
 * false if the service refused the key, or sent answers that cannot be read.
 */
function isTransient({ state, fault }: RunReport): boolean {
  if (state !== "offline" || fault === null) return false;
  return fault.kind === "uncertain" || (fault.kind === "later" && fault.cause !== "malformed");
}
