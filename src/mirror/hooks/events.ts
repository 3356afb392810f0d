/** Reads the state of a folder for hooks. Finds the events between two such states. */
import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/interface.ts";
import { makeRunState, type RunState } from "../engine/run/run-state.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type OpenProblems, toAttentionJson } from "../operations/results/attention.ts";
import type { AttentionEntry } from "../operations/results/shapes.ts";
import { type EventName, USUAL_DEBOUNCE } from "./hook.ts";
import { readStateSummary, type StateSummary } from "../state/read-beside.ts";

/** State of a linked folder for hooks: paths, codes and counts, never content. */
export type HookFacts = {
  readonly state: RunState["state"];
  /** Numbers of changes that this process has synced, by kind of change. */
  readonly changes: ChangeCounts;
  /**
   * Open problems by the event that reports them.
   * - `attention`: problems that require a person
   * - `conflict`: all conflicts, even those in review, which need no local choice
   * - `stopped`: reasons of the stop
   * - `offline`: reason why the service cannot be reached
   */
  readonly problems: Readonly<Record<ProblemEvent, readonly HookItem[]>>;
  /** Milliseconds since the service was last reached; 0 if the service can be reached now. */
  readonly offlineMs: number;
  /**
   * Changes in review; null if unknown. Each string is the beginning of the review in milliseconds
   * since the epoch, a space and a path.
   */
  readonly reviews: readonly string[] | null;
};

type ProblemEvent = Exclude<EventName, "review-settled" | "in-sync">;

/** Numbers of changes, by the same kinds as `counts` in `sync --json`. */
export type ChangeCounts = Readonly<Record<string, number>>;

/** One problem in a message to a hook. The path is "" for a problem of the whole folder. */
export type HookItem = Omit<AttentionEntry, "detail">;

export type FolderState = Pick<RunState, "state" | "attention"> & Pick<OpenProblems, "safetyStop">;

type KnownFacts = {
  /** Reason why the service is unreachable, and milliseconds since then; null if reachable. */
  readonly offline?: { readonly code: WaitReason; readonly ms: number } | null;
  readonly changes?: ChangeCounts;
};

/** @param root path of a folder that has `.mdmirror/` */
export function collectFacts(
  root: string,
  { state, attention, safetyStop }: FolderState,
  { offline = null, changes = {} }: KnownFacts = {},
): HookFacts {
  const isOffline = offline !== null || state === "offline";
  const offlineItem = { path: "", kind: "offline", code: offline?.code ?? null, next: "mdmirror doctor" };
  return {
    state: isOffline ? "offline" : state,
    changes,
    problems: {
      // A pending problem requires no action of a person, so there is no event about such a
      // problem.
      attention: listItems({ attention: attention.filter(({ waits }) => !waits) }),
      conflict: listItems({ attention: attention.filter(({ kind }) => CONFLICTS.has(kind)) }),
      stopped: listItems({ safetyStop }),
      offline: isOffline ? [offlineItem] : [],
    },
    offlineMs: offline?.ms ?? 0,
    reviews: readSummary(root)?.totals.reviews.map(({ path, since }) => `${since} ${path}`) ?? null,
  };
}

/** Reads the state that the last run stored; null if the state file cannot be read. */
export function readStoredFacts(root: string): HookFacts | null {
  const stateSummary = readSummary(root);
  if (stateSummary === null) return null;
  const { meta, blocks } = stateSummary;
  const storedState = makeRunState({ meta: (key) => meta.get(key) ?? null, blocks, newestRun: null });
  return collectFacts(root, storedState);
}

/** Kinds of conflicts. A `review-conflict` is decided by a reviewer in the web app. */
const CONFLICTS: ReadonlySet<string> = new Set(["conflict", "review-conflict"]);

/** Removes the details of problems, because a detail from the service may contain content. */
function listItems(open: Partial<OpenProblems>): HookItem[] {
  const entries = toAttentionJson({ attention: [], safetyStop: null, fault: null, ...open });
  return entries.map(({ path, kind, code, next }) => ({ path, kind, code, next }));
}

/** Returns null if the state file cannot be read. The run itself reports the fault. */
function readSummary(root: string): StateSummary | null {
  const summaryResult = readStateSummary(join(root, MIRROR_FOLDER));
  return summaryResult.kind === "read" ? summaryResult.value : null;
}

/** Items of an event; empty for the whole folder, null if the event did not happen. */
type EventItems = readonly HookItem[] | null;

export function findEventItems(event: EventName, before: HookFacts, now: HookFacts): EventItems {
  // While the service cannot be reached, mdmirror does not know whether any other event happened.
  if (now.state === "offline" && event !== "offline") return null;
  if (event === "review-settled") return findSettledReviews(before, now);
  if (event !== "in-sync") return findNewItems(before.problems[event], now.problems[event]);
  const isChanged = before.state !== "in-sync" || sumChanges(countChanges(before, now)) > 0;
  return now.state === "in-sync" && isChanged ? [] : null;
}

/**
 * Earlier state of a folder (`baseline`), which a hook compares with the current state to find one
 * kind of event.
 */
export type WatchedEvent = {
  readonly baseline: HookFacts;
  /**
   * Event whose state has not lasted long enough yet; null if there is none. `since`: beginning of
   * the state, in milliseconds of the monotonic clock. `key` identifies the changes and items of
   * the event. If the key changes, the waiting time begins again.
   */
  readonly pending: { readonly key: string; readonly since: number } | null;
};

/** `due`: time at which the hook has to run for the event; null if the event did not happen. */
export function watchEvent(
  { baseline, pending }: WatchedEvent,
  now: HookFacts,
  { event, debounce, time }: { readonly event: EventName; readonly debounce: number; readonly time: number },
): WatchedEvent & { readonly due: number | null; readonly items: readonly HookItem[] } {
  const items = findEventItems(event, baseline, now);
  if (items === null) return { baseline: chooseBaseline(event, baseline, now), pending: null, due: null, items: [] };
  const key = [sumChanges(countChanges(baseline, now)), ...items.map(makeItemKey)].join("\n");
  const pendingSince = pending?.key === key ? pending.since : time - (event === "offline" ? now.offlineMs : 0);
  const dueAt = pendingSince + debounce;
  return dueAt <= time
    ? { baseline: now, pending: null, due: dueAt, items }
    : { baseline, pending: { key, since: pendingSince }, due: dueAt, items };
}

function chooseBaseline(event: EventName, before: HookFacts, now: HookFacts): HookFacts {
  // After a short outage, the state from before the outage stays the baseline. Otherwise, the end
  // of the outage would look like a change.
  if (now.state === "offline" && event !== "offline")
    return now.offlineMs < USUAL_DEBOUNCE.offline ? before : { ...before, state: "offline" };
  return { ...now, changes: before.changes, reviews: now.reviews ?? before.reviews };
}

export function countChanges(before: HookFacts, now: HookFacts): ChangeCounts {
  return Object.fromEntries(
    Object.entries(now.changes).map(([name, count]) => [name, count - (before.changes[name] ?? 0)]),
  );
}

function sumChanges(changes: ChangeCounts): number {
  return Object.values(changes).reduce((sum, count) => sum + count, 0);
}

function findNewItems(before: readonly HookItem[], now: readonly HookItem[]): EventItems {
  const knownKeys = new Set(before.map(makeItemKey));
  const items = now.filter((item) => !knownKeys.has(makeItemKey(item)));
  return items.length === 0 ? null : items;
}

function makeItemKey({ kind, path }: HookItem): string {
  return `${kind} ${path}`;
}

/**
 * Returns documents whose review has ended, except documents that were moved during the review or
 * are in conflict.
 */
function findSettledReviews(before: HookFacts, { reviews, problems }: HookFacts): EventItems {
  if (reviews === null || before.reviews === null) return null;
  const [knownReviews, presentReviews] = [new Set(before.reviews), new Set(reviews)];
  const movedReviews = new Set(reviews.filter((key) => !knownReviews.has(key)).map(readReviewTime));
  const openConflicts = new Set(problems.conflict.map(({ path }) => path));
  const settledPaths = before.reviews
    .filter((key) => !presentReviews.has(key) && !movedReviews.has(readReviewTime(key)))
    .map((key) => key.slice(key.indexOf(" ") + 1))
    .filter((path) => !openConflicts.has(path));
  return settledPaths.length === 0
    ? null
    : settledPaths.map((path) => ({ path, kind: "review-settled", code: null, next: "nothing" }));
}

function readReviewTime(key: string): string {
  return key.slice(0, key.indexOf(" "));
}
