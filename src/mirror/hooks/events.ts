/** Finds the events that happened between two states of a folder. Pure. */

import type { ChangeCounts, HookFacts, HookItem } from "./facts.ts";
import { type EventName, USUAL_DEBOUNCE } from "./hook.ts";

/** Items of an event. Empty if the event concerns the whole folder; null if it did not happen. */
type EventItems = readonly HookItem[] | null;

export function findEventItems(event: EventName, before: HookFacts, now: HookFacts): EventItems {
  // While the service cannot be reached, nothing shows whether another event happened.
  if (now.state === "offline" && event !== "offline") return null;
  if (event === "review-settled") return findSettledReviews(before, now);
  if (event !== "in-sync") return findNewItems(before.problems[event], now.problems[event]);
  const isChanged = before.state !== "in-sync" || sumChanges(countChanges(before, now)) > 0;
  return now.state === "in-sync" && isChanged ? [] : null;
}

/**
 * Earlier state of a folder (`baseline`). A hook compares the current state with it to find one
 * kind of event.
 */
export type WatchedEvent = {
  readonly baseline: HookFacts;
  /**
   * Event whose state has not lasted long enough yet; null if there is none. `since`: its
   * beginning, in milliseconds of the monotonic clock. `key` identifies the event's changes and
   * items. With another key, the waiting time starts again.
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
  // During a short outage of the service, the earlier state stays the baseline. So the outage alone
  // does not look like a change when the service answers again.
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
 * Returns documents whose review has ended. Leaves out documents that were moved during the review
 * or are in conflict.
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
