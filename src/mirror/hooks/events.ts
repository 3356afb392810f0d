/** Compares two states of a folder. Pure. */

import type { Changes, Facts, HookItem } from "./facts.ts";
import { type EventName, USUAL_DEBOUNCE } from "./hook.ts";

/** Subjects of an event; empty for the whole folder. Null if the event did not happen. */
type EventItems = readonly HookItem[] | null;

/**
 * Returns the subjects of an event that happened between two states; null if the event did not
 * happen.
 */
export function itemsOf(event: EventName, before: Facts, now: Facts): EventItems {
  // While the service is not reached, nothing else is known.
  if (now.state === "offline" && event !== "offline") return null;
  if (event === "review-settled") return settledOf(before, now);
  if (event !== "in-sync") return newOf(before.problems[event], now.problems[event]);
  const isChanged = before.state !== "in-sync" || sumOf(changesBetween(before, now)) > 0;
  return now.state === "in-sync" && isChanged ? [] : null;
}

/** One event of a hook for a folder. Times are in milliseconds by the monotonic clock. */
export type WatchedEvent = {
  /** State with which the next state is compared. */
  readonly baseline: Facts;
  /**
   * Event that has not lasted long enough yet; null if there is none. An event with another key
   * starts a new period.
   */
  readonly pending: { readonly key: string; readonly since: number } | null;
};

/** Compares the current state with the baseline. `due` is null if the event did not happen. */
export function watchEvent(
  { baseline, pending }: WatchedEvent,
  now: Facts,
  { event, debounce, time }: { readonly event: EventName; readonly debounce: number; readonly time: number },
): WatchedEvent & { readonly due: number | null; readonly items: readonly HookItem[] } {
  const items = itemsOf(event, baseline, now);
  if (items === null) return { baseline: baselineOf(event, baseline, now), pending: null, due: null, items: [] };
  const key = [sumOf(changesBetween(baseline, now)), ...items.map(keyOf)].join("\n");
  const since = pending?.key === key ? pending.since : time - (event === "offline" ? now.offlineMs : 0);
  const due = since + debounce;
  return due <= time ? { baseline: now, pending: null, due, items } : { baseline, pending: { key, since }, due, items };
}

/** Returns the state with which the next state is compared, if no event happened. */
function baselineOf(event: EventName, before: Facts, now: Facts): Facts {
  // A short loss of the service does not end a state.
  if (now.state === "offline" && event !== "offline")
    return now.offlineMs < USUAL_DEBOUNCE.offline ? before : { ...before, state: "offline" };
  return { ...now, changes: before.changes, reviews: now.reviews ?? before.reviews };
}

export function changesBetween(before: Facts, now: Facts): Changes {
  return Object.fromEntries(
    Object.entries(now.changes).map(([name, count]) => [name, count - (before.changes[name] ?? 0)]),
  );
}

function sumOf(changes: Changes): number {
  return Object.values(changes).reduce((sum, count) => sum + count, 0);
}

function newOf(before: readonly HookItem[], now: readonly HookItem[]): EventItems {
  const known = new Set(before.map(keyOf));
  const items = now.filter((item) => !known.has(keyOf(item)));
  return items.length === 0 ? null : items;
}

function keyOf({ kind, path }: HookItem): string {
  return `${kind} ${path}`;
}

/**
 * Returns paths that left review. A document that is in review under another path was moved, and
 * does not count.
 */
function settledOf(before: Facts, { reviews, problems }: Facts): EventItems {
  if (reviews === null || before.reviews === null) return null;
  const [known, present] = [new Set(before.reviews), new Set(reviews)];
  const moved = new Set(reviews.filter((key) => !known.has(key)).map(sinceOf));
  const open = new Set(problems.conflict.map(({ path }) => path));
  const settled = before.reviews
    .filter((key) => !present.has(key) && !moved.has(sinceOf(key)))
    .map((key) => key.slice(key.indexOf(" ") + 1))
    .filter((path) => !open.has(path));
  return settled.length === 0
    ? null
    : settled.map((path) => ({ path, kind: "review-settled", code: null, next: "nothing" }));
}

function sinceOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}
