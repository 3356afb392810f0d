import { compareByPath } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { LocalMirror } from "../../folder/open-local.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { MAX_RUNS, readEvents } from "./lookup.ts";
import { findVersion, type HistoryEntry, MAX_EVENTS, REMOVAL_KINDS } from "./history.ts";
import { readMove } from "./undo-moves.ts";
import { makeZeroCounts } from "../../engine/run/world.ts";
import type { RunReport } from "../../folder/run.ts";
import { formatCounts } from "../results/report.ts";

export type Timeline = {
  readonly path: LocalPath;
  readonly isGone: boolean;
  /** Number of the version that the local file has; null if no version has the file's content. */
  readonly now: number | null;
  readonly localDigest: Digest | null;
  /** Steps, newest first. */
  readonly steps: readonly TimelineStep[];
  /** All versions, by their numbers. */
  readonly entries: readonly HistoryEntry[];
};

/**
 * One step of a timeline. `at`: milliseconds since the epoch; 0 if the time is unknown. Steps with
 * unknown times are the oldest.
 */
export type TimelineStep = { readonly at: number } & (
  | { readonly kind: "text"; readonly entry: HistoryEntry }
  | {
      readonly kind: "moved";
      readonly side: "local" | "remote";
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: "gone"; readonly detail: string }
);

/** @param name a current or earlier path, or an id `doc_…` */
export function readTimeline({ state, disk }: Pick<LocalMirror, "state" | "disk">, name: string): Result<Timeline> {
  const foundVersion = findVersion({ state }, name, null);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { document, entries } = foundVersion.value;
  const { path, record } = document;
  const atPath = disk.look(path);
  const localDigest = atPath.kind === "file" ? atPath.digest : null;
  const localEntry = record === null ? undefined : entries.findLast(({ digest }) => digest === localDigest);
  const versionSteps = entries.map((entry): TimelineStep => ({ kind: "text", at: entry.at, entry }));
  const events = readEvents(state, { limit: MAX_EVENTS, run: null, path: document.id ?? path });
  const steps = [...versionSteps, ...events.flatMap(listEventSteps)].toSorted(
    (a, b) => b.at - a.at || rankStep(b) - rankStep(a),
  );
  return ok({
    path,
    isGone: document.id !== null && record === null,
    now: localEntry?.n ?? null,
    localDigest,
    steps,
    entries,
  });
}

/** Ranks steps that have the same time: moves, versions, deletion. */
function rankStep(step: TimelineStep): number {
  return step.kind === "text" ? step.entry.n : step.kind === "gone" ? Number.MAX_SAFE_INTEGER : 0;
}

function listEventSteps(event: MirrorEvent): TimelineStep[] {
  const { at, kind, detail, outcome } = event;
  if (outcome !== "done") return [];
  if (REMOVAL_KINDS.has(kind)) return [{ kind: "gone", at, detail }];
  const eventMove = readMove(event);
  return eventMove === null
    ? []
    : [{ kind: "moved", at, side: eventMove.side, from: eventMove.from, to: eventMove.to }];
}

export type RecentDocument = {
  readonly path: LocalPath;
  readonly at: number;
  readonly run: number;
  readonly kind: string;
  readonly detail: string;
  readonly isGone: boolean;
};

/** LIMIT: number of newest events that are read, so that the list appears fast. */
const RECENT_EVENTS = 5_000;

/** Returns each document with its last event, newest first. */
export function readRecent(state: State): readonly RecentDocument[] {
  const { records } = state.load();
  const recordedPaths = new Set([...records.values()].map(({ localPath }) => localPath));
  const lastEvents = new Map<LocalPath, MirrorEvent>();
  for (const event of state.events({ limit: RECENT_EVENTS })) {
    const path = records.get(event.id as DocId)?.localPath ?? event.path;
    if (isContentEvent(event) && !lastEvents.has(path)) lastEvents.set(path, event);
  }
  return [...lastEvents]
    .map(([path, { at, run, kind, detail }]) => ({ path, at, run, kind, detail, isGone: !recordedPaths.has(path) }))
    .toSorted((a, b) => b.at - a.at || compareByPath(a, b));
}

function isContentEvent({ path, before, after, from, kind }: MirrorEvent): boolean {
  const isAbout = before !== null || after !== null || from !== null || REMOVAL_KINDS.has(kind);
  // An event of the kind `relink` only records paths that the document already had on both sides,
  // so the history does not show the event.
  return path !== "" && isAbout && kind !== "relink";
}

export type RunLine = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  /** End in milliseconds since the epoch; null if the run was interrupted or is not over. */
  readonly endedAt: number | null;
  /** State at the end of the run, such as `in-sync` or `stopped`; null if it is not known. */
  readonly state: string | null;
  /** Changes such as `3 uploaded, 1 created locally`; null without known changes. */
  readonly done: string | null;
  /** Last run that undid this run; null if no run did. */
  readonly undoneBy: Pick<RunLine, "run" | "startedAt"> | null;
};

/** Returns all runs, newest first. */
export function readRuns(state: State): readonly RunLine[] {
  const undoneBy = new Map<number, RunLine["undoneBy"]>();
  return state.runs(MAX_RUNS).map(({ summary, ...run }) => {
    const { state = null, counts, undoes = [] } = readSummary(summary);
    for (const one of undoes) if (!undoneBy.has(one)) undoneBy.set(one, run);
    const done = counts === undefined ? null : formatCounts(counts);
    return { ...run, state, done, undoneBy: undoneBy.get(run.run) ?? null };
  });
}

export type DayOfChanges = {
  /** Beginning of the day, in milliseconds since the epoch. */
  readonly at: number;
  readonly uploaded: number;
  readonly downloaded: number;
  readonly merged: number;
  readonly conflicts: number;
};

/**
 * Returns the changes of each of the last days, oldest day first. Also returns days without
 * changes.
 * @param now time in milliseconds since the epoch
 */
export function readDays(state: State, now: number, days: number): readonly DayOfChanges[] {
  const changesByDay = new Map<number, DayOfChanges>();
  for (let daysBack = days - 1; daysBack >= 0; daysBack--) {
    const start = startOfDay(now, daysBack);
    changesByDay.set(start, { at: start, uploaded: 0, downloaded: 0, merged: 0, conflicts: 0 });
  }
  const oldestDay = startOfDay(now, days - 1);
  for (const { startedAt, summary } of state.runs(MAX_RUNS)) {
    if (startedAt < oldestDay) break;
    const start = startOfDay(startedAt, 0);
    const day = changesByDay.get(start);
    const { counts } = readSummary(summary);
    if (day !== undefined && counts !== undefined) changesByDay.set(start, addRun(day, counts));
  }
  return [...changesByDay.values()];
}

function addRun(day: DayOfChanges, counts: RunReport["counts"]): DayOfChanges {
  return {
    at: day.at,
    uploaded: day.uploaded + counts.uploaded + counts.createdRemote + counts.submitted,
    downloaded: day.downloaded + counts.downloaded + counts.createdLocal,
    merged: day.merged + counts.merged,
    conflicts: day.conflicts + counts.conflicts,
  };
}

/**
 * Returns the beginning of a day in the local time zone, in milliseconds since the epoch.
 * @param daysBack number of days before the day of `time`
 */
function startOfDay(time: number, daysBack: number): number {
  const day = new Date(time);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysBack).getTime();
}

type RunSummary = {
  readonly state?: string;
  readonly counts?: RunReport["counts"];
  readonly undoes?: readonly number[];
};

/** Reads the summary of a run. Another version of mdmirror may have written the summary. */
function readSummary(summary: string | null): RunSummary {
  const { counts, ...facts } = JSON.parse(summary ?? "{}") as RunSummary;
  return counts === undefined ? facts : { ...facts, counts: { ...makeZeroCounts(), ...counts } };
}
