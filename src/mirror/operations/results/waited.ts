import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { count } from "../../../common/count.ts";
import type { BarrierEnd } from "../../engine/daemon/daemon-types.ts";
import type { PathOnService } from "../../engine/run/barrier.ts";
import type { WAIT } from "../declared/wait.ts";
import type { Answer } from "../define.ts";
import { UNSYNCED_WORDS } from "../doctor/why.ts";
import { findNextStep } from "./next-step.ts";

export type WaitReport = Answer<typeof WAIT>;

/** Reason why nothing is uploaded; `none` while uploads continue or are complete. */
export type UploadStandstill = {
  readonly kind: "none" | "paused" | "stopped" | "offline";
  readonly detail: string;
};

export const NO_STANDSTILL: UploadStandstill = { kind: "none", detail: "" };

/** LIMIT: number of paths in the answer to `wait`, which is one line of the daemon's socket. */
const MAX_PATHS = 1_000;

/**
 * Ranks of the states, worst first. If there are too many paths, those with the highest ranks are
 * left out.
 */
const STATE_RANKS: Readonly<Record<PathOnService["state"], number>> = {
  waiting: 0,
  conflict: 1,
  blocked: 2,
  "in-review": 3,
  gone: 4,
  live: 4,
};

export function makeWaitReport(end: BarrierEnd, standstill: UploadStandstill): Result<WaitReport> {
  if (end.kind === "outside") return refuseUnsynced(end.outside);
  const { paths, documents } = end;
  const sortedPaths = paths.toSorted((a, b) => STATE_RANKS[a.state] - STATE_RANKS[b.state]);
  return ok({
    state: summarizeState(sortedPaths[0]?.state ?? "live", standstill),
    detail: standstill.detail,
    documents,
    live: documents - paths.filter(({ state }) => STATE_RANKS[state] < STATE_RANKS.live).length,
    more: Math.max(0, sortedPaths.length - MAX_PATHS),
    paths: sortedPaths.slice(0, MAX_PATHS).map(toPathJson),
  });
}

/**
 * Returns one state for all paths. While any path waits for its upload, this is the reason of the
 * wait. Otherwise, it follows from the worst path.
 */
function summarizeState(worst: PathOnService["state"], { kind }: UploadStandstill): WaitReport["state"] {
  if (worst === "waiting") return kind === "none" ? "too-slow" : kind;
  if (worst === "conflict" || worst === "blocked") return "attention";
  return worst === "in-review" ? "in-review" : "live";
}

function toPathJson({ path, state, id, changeId, reviews, open }: PathOnService): WaitReport["paths"][number] {
  const { kind, code, detail, requestId } = open ?? NO_REASON;
  const nextStep = open === null ? "" : findNextStep(open);
  return { path, state, id, changeId, reviews, kind, code, detail, requestId, next: nextStep };
}

const NO_REASON = { kind: null, code: null, detail: "", requestId: null } as const;

function refuseUnsynced(outside: Extract<BarrierEnd, { kind: "outside" }>["outside"]): Result<never> {
  const { path, why } = outside[0]!;
  const moreClause = outside.length > 1 ? ` (and ${count(outside.length - 1)} more of the paths)` : "";
  const isUnknown = why === "unknown";
  const whyNotSynced = isUnknown
    ? "this path does not exist and was never synced"
    : why === "mirror-folder"
      ? "the folder of mdmirror itself"
      : UNSYNCED_WORDS[why];
  const nextStep = isUnknown ? "check the path: it is relative to the current folder" : "mdmirror why PATH";
  return trouble("usage", `${path} is not synced: ${whyNotSynced}${moreClause}`, nextStep, { code: "not-a-document" });
}
