import type { EventStreamState } from "../../mirror/ports/remote.ts";
import { listStopSteps } from "../../mirror/operations/results/attention.ts";
import { explainNotInSync, toStatusJson } from "../../mirror/operations/results/report.ts";
import { formatAge, plural } from "../../common/quantities.ts";
import { formatLocalTime } from "../../mirror/operations/results/times.ts";
import { formatAttention, formatStaysLocal } from "../show-attention.ts";
import { makeFaultTrouble } from "../../mirror/folder/trouble.ts";
import { describeLinkedPart } from "../../mirror/settings/settings.ts";
import { refuse, type Result, TroubleError } from "../../common/trouble.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import type { DaemonStatus } from "../../mirror/daemon/control/protocol.ts";
import {
  computeAge,
  type FolderStatus,
  type MirrorStatus,
  type MirrorState,
  readAllStatuses,
  readFolderStatus,
  type StatusReading,
  chooseMirrorState,
} from "../../mirror/folder/status.ts";
import { makeMirrorMetrics } from "../../mirror/folder/metrics.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import type { Args, Command, CommandResult, Io } from "../command.ts";
import { EXIT, EXIT_BY_STATE, type ExitCode, findExitOfTrouble, pickWorstExit, refuseUsage } from "../exit.ts";
import { findMirror, findNearestMirror, FOLDER_OPERANDS } from "../find-mirror.ts";
import { choosePaint, formatColumns, type Paint } from "../text.ts";

export const command: Command = {
  about: [
    "Reads the stored state, and asks the daemon if one is running. Uses no network, reads no documents and writes nothing.",
    "With --all, prints one line for each linked folder (with --json: one array). The exit code is the most serious one.",
  ],
  examples: ["mdmirror status", "mdmirror status --all", "mdmirror status notes --max-age 15m"],
  options: {
    all: { help: "every linked folder of this user, including missing ones" },
    short: { help: "one line for prompts and status bars; prints nothing and exits 2 outside of a linked folder" },
    json: { help: "print one JSON object" },
    prometheus: { help: "print metrics for Prometheus's textfile collector; always exits 0" },
    "max-age": { value: "TIME", isTime: true, help: "exit 3 if the last sync is older than TIME (90s, 15m, 6h, 2d)" },
  },
  operands: FOLDER_OPERANDS,
  async run(io, args) {
    const [dir] = args.operands;
    const maxAge = args.ms("max-age");
    const [short, all, prometheus] = [args.flag("short"), args.flag("all"), args.flag("prometheus")];
    refuseMisuse(args, maxAge !== null);
    // A shell prompt runs this command in every folder, so the command prints no error for an
    // unlinked folder.
    if (short && dir === undefined && findNearestMirror(io, io.cwd).root === null) return EXIT.usage;
    const root = all ? null : findMirror(io, dir);
    if (prometheus) return showMetrics(io, root);
    if (root === null) return showAllFolders(io, maxAge);
    return short ? showPromptLine(io, root) : showFolder(io, root, maxAge);
  },
};

function refuseMisuse(args: Args, isAged: boolean): void {
  if (args.flag("short") && (args.flag("all") || args.flag("prometheus") || isAged))
    refuseUsage("--short can be combined with --json only");
  if (args.flag("all") && args.operands.length > 0) refuseUsage("it takes a folder or --all, not both");
  if (args.flag("prometheus") && (args.flag("json") || isAged))
    refuseUsage("--prometheus goes with neither --json nor --max-age");
}

/** Value of `--max-age` in milliseconds; null without this option. */
type MaxAge = number | null;

/**
 * Returns true if both sides were never equal, or were last equal more than `--max-age` ago.
 * Returns false without `--max-age`.
 */
function isSyncTooOld({ status }: StatusReading, maxAge: MaxAge, now: number): boolean {
  return maxAge !== null && (computeAge(status, now) ?? Number.POSITIVE_INFINITY) > maxAge;
}

function chooseExit(reading: Result<StatusReading>, maxAge: MaxAge, now: number): ExitCode {
  if (reading.kind === "trouble") return findExitOfTrouble(reading.trouble);
  const { state } = reading.value.status;
  return state === "in-sync" && isSyncTooOld(reading.value, maxAge, now) ? EXIT.attention : EXIT_BY_STATE[state];
}

function toReadingJson(reading: Result<StatusReading>, state: string, now: number): object {
  if (reading.kind === "ok") {
    const { status, daemon } = reading.value;
    return { ...toStatusJson(status, computeAge(status, now)), state, daemon };
  }
  const { what, next, code = null } = reading.trouble;
  return { state, attention: [{ path: "", kind: state, code, detail: what, next }] };
}

async function showFolder(io: Io, root: string, maxAge: MaxAge): Promise<CommandResult> {
  const reading = await readFolderStatus(root, io);
  if (reading.kind === "trouble" && reading.trouble.code !== "untrusted") throw new TroubleError(reading.trouble);
  const now = io.clock.now();
  const isOld = reading.kind === "ok" && isSyncTooOld(reading.value, maxAge, now);
  return {
    json: toReadingJson(reading, chooseMirrorState(reading), now),
    lines: formatStatus(reading, now, choosePaint(io)),
    hints: isOld ? [`mdmirror: not in sync within ${formatAge(maxAge!)}; next: mdmirror sync`] : [],
    exit: chooseExit(reading, maxAge, now),
  };
}

const NO_FOLDER_LINES = ["no folder is linked yet; next: mdmirror init DIR --url URL"];

async function showAllFolders(io: Io, maxAge: MaxAge): Promise<CommandResult> {
  const { mirrors, unfit } = await readAllFolders(io);
  const now = io.clock.now();
  const exitCodes = mirrors.map(({ reading }) => chooseExit(reading, maxAge, now));
  const firstProblem = mirrors.find(({ reading }, i) => exitCodes[i] !== 0 && reading.kind === "ok");
  const shownMirrors = mirrors.map(({ mirror: { name, root }, reading, state }, index) => {
    return { name, root, ...toReadingJson(reading, state, now), exit: exitCodes[index] };
  });
  return {
    json: { mirrors: shownMirrors },
    lines:
      shownMirrors.length === 0
        ? NO_FOLDER_LINES
        : formatColumns(mirrors.map((row) => formatRow(row, maxAge, now, choosePaint(io)))),
    hints: firstProblem === undefined ? [] : [`  next: mdmirror status ${quoteForShell(firstProblem.mirror.name)}`],
    // An entry of the user's list of linked folders may be unusable. The command then reports an
    // error, because the folder of the entry may not be synced any more.
    exit: pickWorstExit([...exitCodes, ...unfit.map(() => EXIT.usage)]),
  };
}

function formatRow(
  { mirror: { name, root }, reading, state }: FolderStatus,
  maxAge: MaxAge,
  now: number,
  paint: Paint,
) {
  if (reading.kind === "trouble")
    return [shownName(name), `${paint.bad(state)}: ${shownWords(reading.trouble.what)}`, shownName(root)];
  const isOld = state === "in-sync" && isSyncTooOld(reading.value, maxAge, now);
  const lastSyncWords = formatLastSync(reading.value.status, now, paint);
  return [
    shownName(name),
    `${lastSyncWords}${isOld ? `, longer ago than ${formatAge(maxAge!)}` : ""}`,
    shownName(root),
  ];
}

/**
 * Prints metrics for the textfile collector of Prometheus. The exit code is always 0, because the
 * metrics themselves show the state.
 * @param root real path of one linked folder; null for all linked folders
 */
async function showMetrics(io: Io, root: string | null): Promise<ExitCode> {
  const { mirrors, unfit } = await readAllFolders(io);
  const shownMirrors = root === null ? mirrors : mirrors.filter(({ mirror }) => mirror.root === root);
  if (root !== null && shownMirrors.length === 0) {
    const message = `${root} is not in the list of your linked folders, so its figures have no name`;
    return refuse(message, "trust it first: mdmirror trust DIR");
  }
  io.text(makeMirrorMetrics(shownMirrors, unfit.length));
  return EXIT.inSync;
}

/** LIMIT: milliseconds to wait for the daemon, because a shell prompt must appear quickly. */
const DAEMON_MS = 250;

/**
 * Prints one line for shell prompts and status bars, without names or content of documents. Waits
 * only briefly for the daemon, because a shell runs the command before each prompt.
 */
async function showPromptLine(io: Io, root: string): Promise<CommandResult> {
  const reading = await readFolderStatus(root, { env: io.env, cwd: io.cwd, daemonMs: DAEMON_MS, mustBeAdmitted: true });
  const shortStatus = summarizeStatus(reading);
  const { state, daemon, inSyncAsOf: _since, ...counts } = shortStatus;
  const exit = chooseExit(reading, null, io.clock.now());
  const countWords = Object.entries(counts).flatMap(([name, n]) => (n === 0 ? [] : [`${name}:${n}`]));
  if (daemon === "paused" || daemon === "silent") countWords.push(daemon);
  return { json: shortStatus, lines: [[state, ...countWords].join(" ")], exit };
}

/**
 * Returns the state of a folder in one word, and counts. `blocked`: number of problems to fix,
 * except conflicts.
 */
function summarizeStatus(reading: Result<StatusReading>) {
  const unreadStatus = { status: { attention: [], conflicts: [], reviews: [], syncedAt: null }, daemon: null };
  const { status, daemon } = reading.kind === "ok" ? reading.value : unreadStatus;
  const { attention, conflicts, reviews, syncedAt } = status;
  const conflictPaths = new Set(conflicts);
  return {
    state: chooseMirrorState(reading),
    conflicts: conflicts.length,
    blocked: attention.filter(({ path, waits }) => !waits && !conflictPaths.has(path)).length,
    waiting: attention.filter(({ waits }) => waits).length,
    reviews: reviews.length,
    daemon: describeDaemon(daemon),
    inSyncAsOf: syncedAt,
  };
}

/** Returns the daemon's state in one word. `silent`: the daemon runs but does not answer. */
function describeDaemon(daemon: DaemonStatus | null): "none" | "running" | "paused" | "silent" {
  if (daemon === null) return "none";
  if (daemon.phase === "silent") return "silent";
  return daemon.paused ? "paused" : "running";
}

export const list: Command = {
  about: [
    "Lists the linked folders of this user on this computer: name, folder, address and status. Commands take the name in place of the folder.",
    "A folder is in the list after mdmirror init linked it or mdmirror trust allowed it. Uses no network.",
  ],
  examples: ["mdmirror list"],
  options: { json: { help: "print one JSON object" } },
  operands: { usage: "", least: 0, most: 0 },
  async run(io) {
    const { mirrors } = await readAllFolders(io);
    return {
      json: { mirrors: mirrors.map(({ mirror, state }) => ({ ...mirror, state })) },
      lines: mirrors.length === 0 ? NO_FOLDER_LINES : formatColumns(mirrors.map(formatListRow)),
    };
  },
};

const STATE_DETAILS: Readonly<Partial<Record<MirrorState, string>>> = {
  gone: ": missing: moved, deleted or not mounted",
  other: ": another folder is at this path now",
};

function formatListRow({ mirror: { root, name, addresses }, state }: FolderStatus): string[] {
  return [shownName(name), shownName(root), addresses.join(" "), `${state}${STATE_DETAILS[state] ?? ""}`];
}

async function readAllFolders(io: Io) {
  const statuses = await readAllStatuses(io);
  for (const why of statuses.unfit)
    io.err(`mdmirror: ${shownWords(why)}; run mdmirror trust to allow its folders again`);
  return statuses;
}

/**
 * Words for the state of the event stream, by which the service reports changes. "" if the service
 * has no event stream, or the stream is off.
 */
const EVENT_STREAM_WORDS: { readonly [Kind in EventStreamState["kind"]]: string } = {
  off: "",
  none: "",
  listening: "; the service reports changes immediately",
  broken: "; mdmirror polls, because the connection for events broke",
};

function formatDaemon({ pid, phase, detail, paused, pausedUntil, eventStream }: DaemonStatus): string {
  const untilClause = pausedUntil === undefined ? "" : ` until ${formatLocalTime(pausedUntil)}`;
  if (paused) return `the daemon (process ${pid}) is paused${untilClause}; next: mdmirror resume`;
  if (phase === "silent")
    return `the daemon (process ${pid}) may be in a long step: ${detail}; next: mdmirror status, in a minute`;
  const eventStreamClause = eventStream === undefined ? "" : EVENT_STREAM_WORDS[eventStream.kind];
  return `the daemon (process ${pid}) is ${phase}${detail === "" ? "" : `: ${shownWords(detail)}`}${eventStreamClause}`;
}

/**
 * Returns the lines that show the status of a linked folder. The only possible error in `reading`
 * is an untrusted folder, because every other error ends the command earlier.
 */
function formatStatus(reading: Result<StatusReading>, now: number, paint: Paint): string[] {
  if (reading.kind === "trouble") {
    const { what, next } = reading.trouble;
    return [`${paint.bad("Not trusted")}: ${shownWords(what)}`, `  next: ${shownWords(next)}`];
  }
  const { status, daemon } = reading.value;
  const staysLine = formatStaysLocal(status.staysLocal);
  const shownFault = status.fault && makeFaultTrouble(status.fault, status.unreachedAddress ?? status.url);
  return [
    ...formatContents(status, now, paint),
    ...(staysLine === null ? [] : [staysLine]),
    ...(shownFault === null ? [] : [shownWords(shownFault.what), `  next: ${shownWords(shownFault.next)}`]),
    ...formatAttention(status.attention, Number.POSITIVE_INFINITY, paint),
    ...formatStop(status, paint),
    ...(daemon === null ? [] : [formatDaemon(daemon)]),
  ];
}

function formatContents(status: MirrorStatus, now: number, paint: Paint): string[] {
  const { documents, folders, pending, conflicts, reviewedSince, remote } = status;
  const { suspended = 0, "direction-off": oneWay = 0 } = status.resting;
  const target = `${shownWords(status.url)}${describeLinkedPart(remote)}`;
  return [
    `${plural(documents, "document")} in ${plural(folders, "folder")}, linked to ${target}`,
    formatLastSync(status, now, paint),
    ...(pending > 0 ? [`${plural(pending, "step")} interrupted; the next sync completes them`] : []),
    ...(suspended > 0
      ? [`${plural(suspended, "synced document")} now excluded by your ignore rules; they stay on both sides`]
      : []),
    ...formatDirection(status.direction, oneWay),
    ...formatReviews(reviewedSince),
    ...(conflicts.length > 0 ? [`${paint.asks("In conflict")}: ${conflicts.map(shownName).join(", ")}`] : []),
  ];
}

const DIRECTION_WORDS = { both: null, pull: "this folder only downloads", push: "this folder only uploads" } as const;

/**
 * @param oneWay number of changes that are not synced, because the folder only uploads or only
 * downloads
 */
function formatDirection(direction: MirrorStatus["direction"], oneWay: number): string[] {
  const notSyncedClause = oneWay === 0 ? null : `${plural(oneWay, "change")} not synced: mdmirror plan`;
  const words = [DIRECTION_WORDS[direction], notSyncedClause].filter((word) => word !== null);
  return words.length === 0 ? [] : [words.join("; ")];
}

function formatStop({ safetyStop }: MirrorStatus, paint: Paint): string[] {
  if (safetyStop === null) return [];
  const nextLines = safetyStop.approved
    ? ["  approved; next: mdmirror sync"]
    : listStopSteps(safetyStop.reasons).map((way) => `  next: ${way}`);
  return [
    ...safetyStop.reasons.map(({ reason, detail }) => `${paint.bad("Stopped")}: ${shownWords(detail)} (${reason})`),
    ...nextLines,
  ];
}

/**
 * Returns a line for each change in review, and a hint. mdmirror notices that a change was
 * accepted, because its content is published, but does not notice a rejection.
 */
function formatReviews(reviews: MirrorStatus["reviewedSince"]): string[] {
  if (reviews.length === 0) return [];
  return [
    ...reviews.map(({ path, since, isConflict }) => {
      return `in review since ${formatLocalTime(since)}${isConflict ? ", because it conflicts with another edit" : ""}: ${shownName(path)}`;
    }),
    "  mdmirror cannot see a rejection. After one, edit the file again, or take the published version: mdmirror resolve PATH --theirs",
    "  details: mdmirror reviews",
  ];
}

function formatLastSync(status: MirrorStatus, now: number, paint: Paint): string {
  const { state } = status;
  const age = computeAge(status, now);
  const ageClause = age === null ? null : `${formatAge(age)} ago`;
  if (state === "in-sync") return `${paint.good("In sync")}: last sync ${ageClause}, nothing pending`;
  if (state === "never") return "Never synced; run: mdmirror sync";
  const lastInSync = ageClause === null ? "never in sync" : `last in sync ${ageClause}`;
  return `${paint.asks("Not in sync")}: ${explainNotInSync(status)}; ${lastInSync}`;
}
