import { EVENT_NAMES, type EventName, USUAL_DEBOUNCE } from "./events.ts";
import type { Changes, Facts, Item } from "./facts.ts";
import type { Told } from "./memory.ts";

/** What a hook is still to be told: how the mirror stands, against what it was told. Pure. */

export type Due = {
  readonly event: EventName;
  /** What it is about; empty where it is about the whole. */
  readonly items: readonly Item[];
  /** Another one of the same event is another state, which has to last anew. */
  readonly key: string;
};

/** LIMIT: entries that are remembered of each list; what is past that may be told again. */
const MOST = 1_000;

type Rule = {
  readonly due: (facts: Facts, told: Told) => Omit<Due, "event"> | null;
  /** What it has been told then. */
  readonly tell: (facts: Facts, told: Told) => Told;
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

/** In the order in which they are told. */
export function dueEvents(facts: Facts, told: Told): Due[] {
  return EVENT_NAMES.flatMap((event) => {
    const due = RULES[event].due(facts, told);
    return due === null ? [] : [{ event, ...due }];
  });
}

export function tell(event: EventName, facts: Facts, told: Told): Told {
  return RULES[event].tell(facts, told);
}

/**
 * What a hook that is new is taken to know: that the mirror was in sync, and what waits in review.
 * What is wrong already it is told.
 */
export function knownAtFirst({ state, reviews }: Facts): Told {
  const inSync = state === "in-sync";
  return { inSync, attention: [], conflict: [], stopped: [], offline: false, reviews: (reviews ?? []).slice(0, MOST) };
}

/**
 * Takes out what is over, so that the same is told when it comes again. While the service is not
 * reached, what was open counts as open still.
 */
export function forgetEnded(facts: Facts, told: Told): Told {
  const { state, stopped, attention, conflicts, offlineMs, changes } = facts;
  if (state === "offline") return offlineMs < USUAL_DEBOUNCE.offline ? told : { ...told, inSync: false };
  const open = stopped.length + attention.length + conflicts.length;
  return {
    ...told,
    // What waits by itself is no leaving, until it is carried across.
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

/** Paths of what waited in review and does no more. One that waits elsewhere now was moved. */
function settledOf({ reviews, conflicts }: Facts, told: Told): string[] {
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
