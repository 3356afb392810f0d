import type { BarrierEnd } from "../../engine/daemon/daemon-types.ts";
import type { PathOnService } from "../../engine/run/barrier.ts";
import type { WAIT } from "../../operations/declared/wait.ts";
import type { Answer } from "../../operations/define.ts";

/** Result of a wait, from a daemon or from a command that waits itself. */

/** Reason why nothing continues by itself; `none` if it does, or nothing is left to do. */
export type Standstill = {
  readonly kind: "none" | "paused" | "stopped" | "offline";
  /** A clause for people. */
  readonly detail: string;
};

type WaitState = Answer<typeof WAIT>["state"];

type Waited = {
  readonly kind: "waited";
  /** Paths that were not live at first, and each named file; at most 1,000. */
  readonly paths: readonly PathOnService[];
  /** Number of further paths. */
  readonly more: number;
  /** Number of documents that the paths stand for. */
  readonly documents: number;
  /** Number of these that are live, or gone on both sides. */
  readonly live: number;
  readonly state: WaitState;
  readonly still: Standstill;
};

export type WaitResult = Extract<BarrierEnd, { kind: "outside" }> | Waited;

export const NO_STANDSTILL: Standstill = { kind: "none", detail: "" };

/** LIMIT: paths in one answer, which fits into one line of the control socket. */
const MOST_PATHS = 1_000;

/** The worst comes first, so only live paths are cut off. */
const RANK: Readonly<Record<PathOnService["state"], number>> = {
  waiting: 0,
  conflict: 1,
  blocked: 2,
  "in-review": 3,
  gone: 4,
  live: 4,
};

export function waitResultOf(all: readonly PathOnService[], documents: number, still: Standstill): Waited {
  const sorted = all.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  const open = all.filter(({ state }) => RANK[state] < RANK.live).length;
  return {
    kind: "waited",
    paths: sorted.slice(0, MOST_PATHS),
    more: Math.max(0, sorted.length - MOST_PATHS),
    documents,
    live: documents - open,
    state: stateOf(sorted[0]?.state ?? "live", still),
    still,
  };
}

/**
 * Unsettled states come before settled ones: as long as anything waits, the rest may change too.
 */
function stateOf(worst: PathOnService["state"], { kind }: Standstill): WaitState {
  if (worst === "waiting") return kind === "none" ? "too-slow" : kind;
  if (worst === "conflict" || worst === "blocked") return "attention";
  return worst === "in-review" ? "in-review" : "live";
}
