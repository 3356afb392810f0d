/** History of one document: its versions, paths and deletion. */

import { byPath } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { LocalMirror } from "../../folder/open-local.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { readEvents } from "./events.ts";
import { type HistoryEntry, REMOVALS, findVersion } from "./history.ts";
import { moveOfEvent } from "./undo-moves.ts";

export type Timeline = {
  /** Current or last path. */
  readonly path: LocalPath;
  readonly isGone: boolean;
  /**
   * Number of the version that the local file has now; null if the file has none of these versions.
   */
  readonly now: number | null;
  /** Digest of the local file; null if no local file can be read. */
  readonly localDigest: Digest | null;
  /** Steps of the history, newest first. */
  readonly steps: readonly TimelineStep[];
  readonly texts: number;
};

/** `at`: milliseconds since the epoch; 0 means before everything that is known. */
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

/** LIMIT: events of one document that are read. */
const MAX_EVENTS = 10_000;

/**
 * Returns the history of one document.
 * @param name a present or earlier path, or an id `doc_…`
 */
export function readTimeline({ state, disk }: Pick<LocalMirror, "state" | "disk">, name: string): Result<Timeline> {
  const found = findVersion({ state }, name, null);
  if (found.kind === "trouble") return found;
  const { document, entries } = found.value;
  const { path, record } = document;
  const atPath = disk.look(path);
  const localDigest = atPath.kind === "file" ? atPath.digest : null;
  const now = record === null ? undefined : entries.findLast(({ digest }) => digest === localDigest);
  const texts = entries.map((entry): TimelineStep => ({ kind: "text", at: entry.at, entry }));
  const events = readEvents(state, { limit: MAX_EVENTS, run: null, path: document.id ?? path });
  const steps = [...texts, ...events.flatMap(stepOf)].toSorted((a, b) => b.at - a.at || rank(b) - rank(a));
  return ok({
    path,
    isGone: document.id !== null && record === null,
    now: now?.n ?? null,
    localDigest,
    steps,
    texts: entries.length,
  });
}

/**
 * Returns the rank of a step among steps at the same time: moves first, then versions by their
 * numbers, the deletion last.
 */
function rank(step: TimelineStep): number {
  return step.kind === "text" ? step.entry.n : step.kind === "gone" ? Number.MAX_SAFE_INTEGER : 0;
}

function stepOf(event: MirrorEvent): TimelineStep[] {
  const { at, kind, detail, outcome } = event;
  if (outcome !== "done") return [];
  if (REMOVALS.has(kind)) return [{ kind: "gone", at, detail }];
  const moved = moveOfEvent(event);
  return moved === null ? [] : [{ kind: "moved", at, side: moved.side, from: moved.from, to: moved.to }];
}

/** A known document, with its last event. */
export type RecentDocument = {
  readonly path: LocalPath;
  readonly at: number;
  readonly run: number;
  readonly kind: string;
  readonly detail: string;
  readonly isGone: boolean;
};

/** LIMIT: events that are read. */
const RECENT_EVENTS = 5_000;

/** Returns the documents with the latest events, newest first. */
export function readRecent(state: State): readonly RecentDocument[] {
  const { records } = state.load();
  const recordedPaths = new Set([...records.values()].map(({ localPath }) => localPath));
  const last = new Map<LocalPath, MirrorEvent>();
  for (const event of state.events({ limit: RECENT_EVENTS })) {
    const path = records.get(event.id as DocId)?.localPath ?? event.path;
    if (isOfText(event) && !last.has(path)) last.set(path, event);
  }
  return [...last]
    .map(([path, { at, run, kind, detail }]) => ({ path, at, run, kind, detail, isGone: !recordedPaths.has(path) }))
    .toSorted((a, b) => b.at - a.at || byPath(a, b));
}

function isOfText({ path, before, after, from, kind }: MirrorEvent): boolean {
  const isAbout = before !== null || after !== null || from !== null || REMOVALS.has(kind);
  // The change that moved a document says more than the record of its move.
  return path !== "" && isAbout && kind !== "relink";
}
