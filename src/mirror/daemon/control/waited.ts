import type { BarrierEnd } from "../../engine/daemon/barriers.ts";
import type { PathLive } from "../../engine/run/barrier.ts";
import type { WaitReport } from "../../operations/results/shapes.ts";

/** How a wait ended, as a daemon answers it and a command that waits by itself finds it. */

/** Why nothing moves on by itself; `none`: it does, or nothing is left to do. */
type Standstill = {
  readonly kind: "none" | "paused" | "stopped" | "offline";
  /** A clause for people. */
  readonly detail: string;
};

export type Waited = {
  /** Those that were not there at the first look, and each file that was named; at most 1,000. */
  readonly paths: readonly PathLive[];
  /** How many paths there are beside them. */
  readonly more: number;
  /** What the paths stand for, with what was there at once. */
  readonly documents: number;
  /** How many of those are live, or gone on both sides. */
  readonly live: number;
  readonly state: WaitReport["state"];
  readonly still: Standstill;
};

export type WaitAnswer = Extract<BarrierEnd, { kind: "outside" }> | ({ readonly kind: "waited" } & Waited);

export const MOVES_ON: Standstill = { kind: "none", detail: "" };

/** LIMIT: so many paths are told; an answer fits into one line of the control socket. */
const MOST_PATHS = 1_000;

/** The worst first: so, what is cut off is what is live. */
const RANK: Readonly<Record<PathLive["state"], number>> = {
  waiting: 0,
  conflict: 1,
  blocked: 2,
  "in-review": 3,
  gone: 4,
  live: 4,
};

export function waitedOf(all: readonly PathLive[], documents: number, still: Standstill): Waited {
  const sorted = all.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  const open = all.filter(({ state }) => RANK[state] < RANK.live).length;
  return {
    paths: sorted.slice(0, MOST_PATHS),
    more: Math.max(0, sorted.length - MOST_PATHS),
    documents,
    live: documents - open,
    state: stateOf(sorted[0]?.state ?? "live", still),
    still,
  };
}

/** What is not settled comes before what is: as long as anything waits, the rest may change too. */
function stateOf(worst: PathLive["state"], { kind }: Standstill): WaitReport["state"] {
  if (worst === "waiting") return kind === "none" ? "too-slow" : kind;
  if (worst === "conflict" || worst === "blocked") return "attention";
  return worst === "in-review" ? "in-review" : "live";
}
