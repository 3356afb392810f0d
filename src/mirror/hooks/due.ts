import { EVENT_NAMES, type EventName, USUAL_DEBOUNCE } from "./events.ts";
import type { Changes, Facts, Item } from "./facts.ts";
import type { ReportedStates } from "./memory.ts";

/** Compares the state of a folder with the states that a hook was run for. Pure. */

export type Due = {
  readonly event: EventName;
  /** Subjects of the event; empty for the whole folder. */
  readonly items: readonly Item[];
  /** Another key of the same event is another state, which has to last again. */
  readonly key: string;
};

/** LIMIT: remembered entries of each list; further ones may be reported again. */
const MOST = 1_000;

type Rule = {
  readonly due: (facts: Facts, told: ReportedStates) => Omit<Due, "event"> | null;
  /** Returns the states reported after this event. */
  readonly tell: (facts: Facts, told: ReportedStates) => ReportedStates;
};

const RULES: Readonly<Record<EventName, Rule>> = {
  stopped: {
    due: ({ stopped }, told) => dueOf(newOf(stopped, told.stopped)),
    tell: ({ stopped }, told) => ({ ...told, stopped: keysOf(stopped) }),
  },
  offline: {
    due: ({ state, offline }, told) => (state === "offline" && !told.offline ? { items: offline, key: "" } : null),
    tell: (_facts, told) => ({ ...told, offline: true }),
  },
  conflict: {
    due: ({ conflicts }, told) => dueOf(newOf(conflicts, told.conflict)),
    tell: ({ conflicts }, told) => ({ ...told, conflict: keysOf(conflicts) }),
  },
  attention: {
    due: ({ attention }, told) => dueOf(newOf(attention, told.attention)),
    tell: ({ attention }, told) => ({ ...told, attention: keysOf(attention) }),
  },
  "review-settled": {
    due: (facts, told) => dueOf(settledOf(facts, told).map((path) => ({ path, ...SETTLED }))),
    tell: ({ reviews }, told) => ({ ...told, reviews: (reviews ?? told.reviews).slice(0, MOST) }),
  },
  "in-sync": {
    due: ({ state, changes }, told) =>
      state === "in-sync" && !told.inSync ? { items: [], key: String(sumOf(changes)) } : null,
    tell: (_facts, told) => ({ ...told, inSync: true }),
  },
};

const SETTLED = { kind: "review-settled", code: null, next: "nothing" } as const;

/** In the order in which they are reported. */
export function dueEvents(facts: Facts, told: ReportedStates): Due[] {
  return EVENT_NAMES.flatMap((event) => {
    const due = RULES[event].due(facts, told);
    return due === null ? [] : [{ event, ...due }];
  });
}

export function reportEvent(event: EventName, facts: Facts, told: ReportedStates): ReportedStates {
  return RULES[event].tell(facts, told);
}

/**
 * Returns the states that a new hook is assumed to have: in sync, and the present reviews. Existing
 * problems are reported.
 */
export function initialStates({ state, reviews }: Facts): ReportedStates {
  const inSync = state === "in-sync";
  return { inSync, attention: [], conflict: [], stopped: [], offline: false, reviews: (reviews ?? []).slice(0, MOST) };
}

/**
 * Removes states that ended, so that they are reported again when they come back. While the service
 * is not reached, open problems still count as open.
 */
export function forgetEnded(facts: Facts, told: ReportedStates): ReportedStates {
  const { state, stopped, attention, conflicts, offlineMs, changes } = facts;
  if (state === "offline") return offlineMs < USUAL_DEBOUNCE.offline ? told : { ...told, inSync: false };
  const open = stopped.length + attention.length + conflicts.length;
  return {
    ...told,
    // A pending change does not end "in sync" until it is synced.
    inSync: told.inSync && !told.offline && open === 0 && sumOf(changes) === 0,
    stopped: keptOf(stopped, told.stopped),
    attention: keptOf(attention, told.attention),
    conflict: keptOf(conflicts, told.conflict),
    offline: false,
  };
}

function sumOf(changes: Changes): number {
  return Object.values(changes).reduce((sum, count) => sum + count, 0);
}

function dueOf(items: readonly Item[]): Omit<Due, "event"> | null {
  return items.length === 0 ? null : { items, key: items.map(keyOf).join("\n") };
}

function newOf(now: readonly Item[], told: readonly string[]): Item[] {
  const known = new Set(told);
  return now.filter((item) => !known.has(keyOf(item)));
}

function keptOf(now: readonly Item[], told: readonly string[]): string[] {
  const still = new Set(now.map(keyOf));
  return told.filter((key) => still.has(key));
}

function keysOf(items: readonly Item[]): string[] {
  return items.slice(0, MOST).map(keyOf);
}

function keyOf({ kind, path }: Item): string {
  return `${kind} ${path}`;
}

/** Returns paths that left review. One that waits under another path was moved. */
function settledOf({ reviews, conflicts }: Facts, told: ReportedStates): string[] {
  if (reviews === null) return [];
  const now = new Set(reviews);
  const gone = told.reviews.filter((key) => !now.has(key));
  const known = new Set(told.reviews);
  const moved = new Set(reviews.filter((key) => !known.has(key)).map(sinceOf));
  const open = new Set(conflicts.map(({ path }) => path));
  return gone
    .filter((key) => !moved.has(sinceOf(key)))
    .map((key) => key.slice(key.indexOf(" ") + 1))
    .filter((path) => !open.has(path));
}

function sinceOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}
