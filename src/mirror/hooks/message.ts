import type { Clock } from "../../common/clock.ts";
import { plural } from "../../common/count.ts";
import type { Random } from "../../common/random.ts";
import { shownName } from "../../common/shown-name.ts";
import { formatOrigin } from "../operations/results/origin.ts";
import { countChanges } from "./events.ts";
import type { ChangeCounts, HookFacts, HookItem } from "./facts.ts";
import type { EventName } from "./hook.ts";

/** JSON on a hook's standard input. It has paths, codes and counts, but never content or a key. */
export type HookMessage = {
  readonly id: string;
  readonly type: EventName;
  readonly timestamp: string;
  readonly text: string;
  readonly data: {
    readonly mirror: { readonly name: string; readonly folder: string };
    readonly state: HookFacts["state"];
    /** True if `mdmirror hooks test` sent the message. No event happened then. */
    readonly test: boolean;
    /**
     * Numbers of documents and changes. `changes`: changes that this process synced since the hook
     * last ran for this event.
     */
    readonly counts: {
      readonly attention: number;
      readonly conflicts: number;
      readonly inReview: number;
      readonly changes: ChangeCounts;
    };
    /** The first 50 documents or problems of the event. */
    readonly items: readonly HookItem[];
    /** Number of documents or problems that `items` leaves out. */
    readonly more: number;
    readonly next: string;
  };
};

export type HookEvent = {
  readonly event: EventName;
  /** Documents or problems of the event; empty if it concerns the whole folder. */
  readonly items: readonly HookItem[];
  readonly before: HookFacts;
  readonly now: HookFacts;
  readonly test?: boolean;
};

type MessageSubject = {
  readonly name: string;
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
};

/** LIMIT: number of documents or problems in one message, so that it stays short. */
const MAX_PATHS = 50;

export function makeMessage(
  { event, items, before, now, test = false }: HookEvent,
  subject: MessageSubject,
): HookMessage {
  const { name, root, clock, random } = subject;
  const { problems, reviews, state } = now;
  const counts = {
    attention: problems.attention.length,
    conflicts: problems.conflict.length,
    inReview: reviews?.length ?? 0,
    changes: countChanges(before, now),
  };
  const shownItems = items.slice(0, MAX_PATHS);
  return {
    id: `msg_${random.hex(24)}`,
    type: event,
    timestamp: new Date(clock.now()).toISOString(),
    text: `${test ? "(test) " : ""}mdmirror: ${EVENT_SENTENCES[event](items, shownName(name))}`,
    data: {
      mirror: { name, folder: root },
      state,
      test,
      counts,
      items: shownItems,
      more: items.length - shownItems.length,
      next: items[0] !== undefined && event !== "conflict" && event !== "attention" ? items[0].next : NEXT_STEPS[event],
    },
  };
}

const EVENT_SENTENCES: Readonly<Record<EventName, (items: readonly HookItem[], name: string) => string>> = {
  stopped: (items, name) => `${name} is stopped by a safety check: ${items.map(({ kind }) => kind).join(", ")}`,
  offline: ([first], name) => `${name} cannot reach the service${formatOrigin(first?.code ?? null, null)}`,
  conflict: (items, name) => `${plural(items.length, "new conflict")} in ${name}: ${listPaths(items)}`,
  attention: (items, name) => `${plural(items.length, "new problem")} to fix in ${name}: ${listPaths(items)}`,
  "review-settled": (items, name) => `${plural(items.length, "review")} ended in ${name}: ${listPaths(items)}`,
  "in-sync": (_items, name) => `${name} is in sync`,
};

const NEXT_STEPS: Readonly<Record<EventName, string>> = {
  stopped: "mdmirror plan; then mdmirror approve, or mdmirror reject",
  offline: "mdmirror doctor",
  conflict: "mdmirror conflicts",
  attention: "mdmirror status",
  "review-settled": "nothing",
  "in-sync": "nothing",
};

/** LIMIT: number of paths in the sentence of a message, which has to fit into a notification. */
const MAX_NAMED_PATHS = 3;

function listPaths(items: readonly HookItem[]): string {
  const namedPaths = items.slice(0, MAX_NAMED_PATHS).map(({ path, kind }) => (path === "" ? kind : shownName(path)));
  return `${namedPaths.join(", ")}${items.length > MAX_NAMED_PATHS ? `, and ${items.length - MAX_NAMED_PATHS} more` : ""}`;
}
