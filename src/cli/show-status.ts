import type { EventStreamState } from "../mirror/ports/events.ts";
import type { DaemonStatus } from "../mirror/daemon/control/protocol.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import type { Trouble } from "../common/trouble.ts";
import { nextOfStop } from "../mirror/operations/results/attention.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { EXIT, EXIT_OF_STATE, type ExitCode, exitOfTrouble } from "./exit.ts";
import { jsonLine, type Paint, paintFor } from "./text.ts";
import { whyNotInSync } from "../mirror/operations/results/needs.ts";
import { plural } from "../common/count.ts";
import { localTime } from "../mirror/operations/results/when.ts";
import { ageText } from "../common/age.ts";
import { attentionLines } from "./show-attention.ts";
import { stayLine } from "./show-plan.ts";
import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { partClause } from "../mirror/settings/settings.ts";

/** Shows the state of a linked folder, as lines. */

export type StatusFlags = {
  readonly json: boolean;
  /** The value of `--max-age`, as text and in milliseconds; null if it was not given. */
  readonly maxAge: { readonly text: string; readonly ms: number } | null;
};

/**
 * Returns the exit code of `status`.
 * @param old true if the last proven sync is older than `--max-age`
 */
export function exitOfStatus({ state }: Pick<MirrorStatus, "state">, old: boolean): ExitCode {
  return old && state === "in-sync" ? EXIT.attention : EXIT_OF_STATE[state];
}

export function isTooOld(age: number | null, most: number): boolean {
  return age === null || age > most;
}

export function showUntrusted(io: Io, { kind, what, next }: Trouble, json: boolean): ExitCode {
  if (json) {
    const attention = [{ path: "", kind: "untrusted", code: "untrusted", detail: what, next }];
    io.out(jsonLine({ state: "untrusted", attention }));
  } else {
    io.out(`${paintFor(io).bad("Not trusted")}: ${shownWords(what)}`);
    io.out(`  next: ${shownWords(next)}`);
  }
  return exitOfTrouble({ kind });
}

/**
 * Words for the state of the event stream. A service without events is polled; then no line is
 * shown.
 */
const NEWS_WORDS: { readonly [Kind in EventStreamState["kind"]]: string } = {
  off: "",
  none: "",
  listening: "; the service reports changes immediately",
  broken: "; mdmirror polls, because the connection for events broke",
};

function daemonLine({ pid, phase, detail, paused, pausedUntil, news }: DaemonStatus): string {
  const until = pausedUntil === undefined ? "" : ` until ${localTime(pausedUntil)}`;
  if (paused) return `the daemon (process ${pid}) is paused${until}; next: mdmirror resume`;
  if (phase === "silent")
    return `the daemon (process ${pid}) may be in a long step: ${detail}; next: mdmirror status, in a minute`;
  const told = news === undefined ? "" : NEWS_WORDS[news.kind];
  return `the daemon (process ${pid}) is ${phase}${detail === "" ? "" : `: ${shownWords(detail)}`}${told}`;
}

export async function showStatus(
  io: Io,
  status: MirrorStatus,
  ageMs: number | null,
  daemon: DaemonStatus | null,
): Promise<void> {
  const paint = paintFor(io);
  const lines = [
    ...holdingLines(status, ageMs === null ? null : ageText(ageMs), paint),
    ...(await stayingLines(status)),
    ...(await faultLines(status)),
    ...attentionLines(status.attention, Number.POSITIVE_INFINITY, paint),
    ...haltLines(status, paint),
    ...(daemon === null ? [] : [daemonLine(daemon)]),
  ];
  for (const line of lines) io.out(line);
}

/** Returns lines for the contents of the folder and its state. */
function holdingLines(status: MirrorStatus, age: string | null, paint: Paint): string[] {
  const { documents, folders, pending, conflicts, reviewedSince, remote } = status;
  const { suspended = 0, "direction-off": oneWay = 0 } = status.resting;
  const where = `${shownWords(status.url)}${partClause(remote)}`;
  return [
    `${plural(documents, "document")} in ${plural(folders, "folder")}, linked to ${where}`,
    lastSyncLine(status, age, paint),
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

/** @param oneWay number of changes that stay on their side */
function directionLines(direction: MirrorStatus["direction"], oneWay: number): string[] {
  const words = DIRECTION_WORDS[direction];
  const left = `${plural(oneWay, "change")} not synced: mdmirror plan`;
  if (words === null) return oneWay === 0 ? [] : [left];
  return [oneWay === 0 ? words : `${words}; ${left}`];
}

async function stayingLines({ staysLocal }: MirrorStatus): Promise<string[]> {
  if (Object.keys(staysLocal ?? {}).length === 0) return [];
  const stays = stayLine(staysLocal);
  return stays === null ? [] : [stays];
}

async function faultLines({ fault, asked, url }: MirrorStatus): Promise<string[]> {
  if (fault === null) return [];
  const { what, next } = faultTrouble(fault, asked ?? url);
  return [shownWords(what), `  next: ${shownWords(next)}`];
}

function haltLines({ safetyStop }: MirrorStatus, paint: Paint): string[] {
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
    ...reviews.map(({ path, since, met }) => {
      return `in review since ${localTime(since)}${met ? ", because it conflicts with another edit" : ""}: ${shownName(path)}`;
    }),
    "  mdmirror cannot see a rejection. After one, edit the file again, or take the published version: mdmirror resolve PATH --theirs",
    "  details: mdmirror reviews",
  ];
}

/**
 * Returns the time of the last run that proved both sides equal, and the end of a later run that
 * did not.
 */
export function lastSyncLine(status: MirrorStatus, age: string | null, paint: Paint): string {
  const { state } = status;
  if (state === "in-sync") return `${paint.good("In sync")}: last sync ${age} ago, nothing pending`;
  if (state === "never") return "Never synced; run: mdmirror sync";
  const since = age === null ? "never in sync" : `last in sync ${age} ago`;
  return `${paint.asks("Not in sync")}: ${whyNotInSync(status)}; ${since}`;
}
