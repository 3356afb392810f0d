import { compareByPath } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { LocalMirror } from "../../folder/open-local.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { readEvents } from "./events.ts";
import { type HistoryEntry, REMOVALS, findVersion } from "./history.ts";
import { readMove } from "./undo-moves.ts";

export type Timeline = {
  readonly path: LocalPath;
  readonly isGone: boolean;
  /** Number of the version that the local file has; null if no version has its content. */
  readonly now: number | null;
  readonly localDigest: Digest | null;
  /** Steps, newest first. */
  readonly steps: readonly TimelineStep[];
  readonly texts: number;
};

/**
 * One step of a timeline. `at`: milliseconds since the epoch; 0 if unknown. Steps of unknown time
 * count as the oldest.
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

/**
 * LIMIT: number of events of one document that are read, newest first. A long history stays fast.
 */
const MAX_EVENTS = 10_000;

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
    texts: entries.length,
  });
}

/** Ranks steps that have the same time: moves, versions, deletion. */
function rankStep(step: TimelineStep): number {
  return step.kind === "text" ? step.entry.n : step.kind === "gone" ? Number.MAX_SAFE_INTEGER : 0;
}

function listEventSteps(event: MirrorEvent): TimelineStep[] {
  const { at, kind, detail, outcome } = event;
  if (outcome !== "done") return [];
  if (REMOVALS.has(kind)) return [{ kind: "gone", at, detail }];
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

/** LIMIT: number of events that are read, newest first, so that the list appears fast. */
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
  const isAbout = before !== null || after !== null || from !== null || REMOVALS.has(kind);
  // A `relink` is left out. The event that moved the document says more.
  return path !== "" && isAbout && kind !== "relink";
}
