import { ageOf, type MirrorStatus, readAllStatuses, type StatusReading } from "../mirror/folder/status.ts";
import type { EventStreamState } from "../mirror/ports/events.ts";
import type { DaemonStatus } from "../mirror/daemon/control/protocol.ts";
import { nextOfStop } from "../mirror/operations/results/attention.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import type { Paint } from "./text.ts";
import { whyNotInSync } from "../mirror/operations/results/needs.ts";
import { plural } from "../common/count.ts";
import { localTime } from "../mirror/operations/results/when.ts";
import { ageText } from "../common/age.ts";
import { attentionLines } from "./show-attention.ts";
import { stayLine } from "./stay-line.ts";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { partClause } from "../mirror/settings/settings.ts";

/** Shows the state of a linked folder, as lines. */

/**
 * Reads the states of all linked folders, and reports entries of the list that cannot be trusted.
 */
export async function readAll(io: Io) {
  const read = await readAllStatuses(io);
  for (const why of read.unfit) io.err(`mdmirror: ${shownWords(why)}; run mdmirror trust to allow its folders again`);
  return read;
}

/**
 * Words for the state of the event stream. A service without events is polled; then no line is
 * shown.
 */
const EVENT_STREAM_WORDS: { readonly [Kind in EventStreamState["kind"]]: string } = {
  off: "",
  none: "",
  listening: "; the service reports changes immediately",
  broken: "; mdmirror polls, because the connection for events broke",
};

function daemonLine({ pid, phase, detail, paused, pausedUntil, eventStream }: DaemonStatus): string {
  const until = pausedUntil === undefined ? "" : ` until ${localTime(pausedUntil)}`;
  if (paused) return `the daemon (process ${pid}) is paused${until}; next: mdmirror resume`;
  if (phase === "silent")
    return `the daemon (process ${pid}) may be in a long step: ${detail}; next: mdmirror status, in a minute`;
  const ending = eventStream === undefined ? "" : EVENT_STREAM_WORDS[eventStream.kind];
  return `the daemon (process ${pid}) is ${phase}${detail === "" ? "" : `: ${shownWords(detail)}`}${ending}`;
}

/** Returns the lines that show a folder. A folder whose state was not read is not trusted. */
export function statusLines(reading: StatusReading, now: number, paint: Paint): string[] {
  if (reading.kind === "unseen") {
    const { what, next } = reading.trouble;
    return [`${paint.bad("Not trusted")}: ${shownWords(what)}`, `  next: ${shownWords(next)}`];
  }
  const { status, daemon } = reading;
  const stays = stayLine(status.staysLocal);
  return [
    ...holdingLines(status, now, paint),
    ...(stays === null ? [] : [stays]),
    ...faultLines(status),
    ...attentionLines(status.attention, Number.POSITIVE_INFINITY, paint),
    ...stopLines(status, paint),
    ...(daemon === null ? [] : [daemonLine(daemon)]),
  ];
}

/** Returns lines for the contents of the folder and its state. */
function holdingLines(status: MirrorStatus, now: number, paint: Paint): string[] {
  const { documents, folders, pending, conflicts, reviewedSince, remote } = status;
  const { suspended = 0, "direction-off": oneWay = 0 } = status.resting;
  const where = `${shownWords(status.url)}${partClause(remote)}`;
  return [
    `${plural(documents, "document")} in ${plural(folders, "folder")}, linked to ${where}`,
    lastSyncLine(status, now, paint),
    ...(pending > 0 ? [`${plural(pending, "step")} interrupted; the next sync completes them`] : []),
    ...(suspended > 0
      ? [`${plural(suspended, "synced document")} now excluded by your ignore rules; they stay on both sides`]
      : []),
    ...directionLines(status.direction, oneWay),
    ...reviewLines(reviewedSince),
    ...(conflicts.length > 0 ? [`${paint.asks("In conflict")}: ${conflicts.map(shownName).join(", ")}`] : []),
  ];
}

const DIRECTION_WORDS: Readonly<Record<MirrorStatus["direction"], string | null>> = {
  both: null,
  pull: "this folder only downloads",
  push: "this folder only uploads",
};

/** @param oneWay number of changes that stay on their side, because the sync has one direction */
function directionLines(direction: MirrorStatus["direction"], oneWay: number): string[] {
  const words = DIRECTION_WORDS[direction];
  const left = `${plural(oneWay, "change")} not synced: mdmirror plan`;
  if (words === null) return oneWay === 0 ? [] : [left];
  return [oneWay === 0 ? words : `${words}; ${left}`];
}

function faultLines({ fault, unreachedAddress, url }: MirrorStatus): string[] {
  if (fault === null) return [];
  const { what, next } = faultTrouble(fault, unreachedAddress ?? url);
  return [shownWords(what), `  next: ${shownWords(next)}`];
}

function stopLines({ safetyStop }: MirrorStatus, paint: Paint): string[] {
  if (safetyStop === null) return [];
  const ways = safetyStop.approved
    ? ["  approved; next: mdmirror sync"]
    : nextOfStop(safetyStop.reasons).map((way) => `  next: ${way}`);
  return [
    ...safetyStop.reasons.map(({ reason, detail }) => `${paint.bad("Stopped")}: ${shownWords(detail)} (${reason})`),
    ...ways,
  ];
}

/**
 * Returns lines for changes in review: since when, and what ends the review. Only an acceptance can
 * be seen, by the published content.
 */
function reviewLines(reviews: MirrorStatus["reviewedSince"]): string[] {
  if (reviews.length === 0) return [];
  return [
    ...reviews.map(({ path, since, isConflict }) => {
      return `in review since ${localTime(since)}${isConflict ? ", because it conflicts with another edit" : ""}: ${shownName(path)}`;
    }),
    "  mdmirror cannot see a rejection. After one, edit the file again, or take the published version: mdmirror resolve PATH --theirs",
    "  details: mdmirror reviews",
  ];
}

/**
 * Returns the time of the last run that proved both sides equal, and the end of a later run that
 * did not.
 */
export function lastSyncLine(status: MirrorStatus, now: number, paint: Paint): string {
  const { state } = status;
  const age = ageOf(status, now);
  const ago = age === null ? null : `${ageText(age)} ago`;
  if (state === "in-sync") return `${paint.good("In sync")}: last sync ${ago}, nothing pending`;
  if (state === "never") return "Never synced; run: mdmirror sync";
  const since = ago === null ? "never in sync" : `last in sync ${ago}`;
  return `${paint.asks("Not in sync")}: ${whyNotInSync(status)}; ${since}`;
}
