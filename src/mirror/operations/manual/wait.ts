/**
 * Waits until the current local content is on the service. If a daemon runs, the daemon uploads the
 * content; otherwise this command syncs.
 */
import { ok, refusal, type Result, type Trouble } from "../../../common/trouble.ts";
import { count } from "../../../common/quantities.ts";
import type { BarrierEnd } from "../../engine/daemon/interface.ts";
import { type PathOnService, readPathStates, scanAwaitedPaths } from "../../engine/run/barrier.ts";
import type { WAIT } from "../declared/reads.ts";
import type { Answer } from "../define.ts";
import { UNSYNCED_WORDS } from "../doctor/why.ts";
import { findNextStep } from "../results/attention.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { askDaemon, NO_DAEMON, SILENT_CODE } from "../../daemon/control/ask.ts";
import { type MirrorOptions, type OpenedMirror, withMirror } from "../../folder/open-mirror.ts";
import { type RunReport, runSync, USUAL_RUN } from "../../folder/run.ts";

export type WaitReport = Answer<typeof WAIT>;

/** Reason why nothing is uploaded; `none` if uploads continue or are complete. */
export type UploadStandstill = {
  readonly kind: "none" | "paused" | "stopped" | "offline";
  readonly detail: string;
};

export const NO_STANDSTILL: UploadStandstill = { kind: "none", detail: "" };

/** LIMIT: number of paths in the answer to `wait`, because the answer is one line of a socket. */
const MAX_PATHS = 1_000;

/**
 * Ranks of the states, worst first. If there are too many paths for the answer, the answer lacks
 * paths with the highest ranks.
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
 * Returns one state for all paths: while a path waits for an upload, the reason for the wait;
 * otherwise a state that follows from the worst state of a path.
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
  return refusal(`${path} is not synced: ${whyNotSynced}${moreClause}`, nextStep, "not-a-document");
}

export type WaitRequest = {
  /** Paths below the root; "" is the whole folder. */
  readonly paths: readonly LocalPath[];
  readonly timeoutMs: number;
};

export const USUAL_WAIT = "30s";

type WaitOptions = Omit<MirrorOptions, "mode" | "what">;

/**
 * Milliseconds between two attempts to get the folder's lock. The first pause between two syncs is
 * twice as long. Each later pause is twice as long as the one before, up to eight seconds.
 */
const RETRY_MS = 250;

/** @param root path of a folder of this user that has `.mdmirror/` */
export async function waitFor(root: string, request: WaitRequest, options: WaitOptions): Promise<Result<WaitReport>> {
  const { clock } = options;
  const deadline = clock.monotonic() + request.timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, deadline - clock.monotonic());
    const waitResult = await waitOnce(root, { ...request, timeoutMs: leftMs }, options);
    if (waitResult.kind === "ok" || !mayRetry(waitResult.trouble) || clock.monotonic() >= deadline) return waitResult;
    await clock.sleep(Math.min(RETRY_MS, deadline - clock.monotonic()));
  }
}

function mayRetry({ kind, code }: Trouble): boolean {
  return (kind === "locked" && code !== SILENT_CODE) || code === "daemon-ended";
}

async function waitOnce(root: string, request: WaitRequest, options: WaitOptions): Promise<Result<WaitReport>> {
  const daemonAnswer = await askDaemon(root, { do: "wait", ...request });
  if (daemonAnswer !== NO_DAEMON) return daemonAnswer;
  return withMirror(root, { ...options, mode: "write", what: "wait" }, (mirror) => waitBySyncing(mirror, request));
}

async function waitBySyncing(mirror: OpenedMirror, { paths, timeoutMs }: WaitRequest): Promise<Result<WaitReport>> {
  const { world } = mirror;
  const deadline = world.clock.monotonic() + timeoutMs;
  world.links?.forms.begin(false);
  const localState = scanAwaitedPaths(world, paths, true);
  if (localState.kind === "outside") return makeWaitReport(localState, NO_STANDSTILL);
  const { awaited, documents } = localState;
  let standstill = NO_STANDSTILL;
  for (let runs = 0; ; runs++) {
    const judgedPaths = readPathStates(world, awaited, true);
    // If the last sync had only one direction, it may have left a path unsynced. Before the first
    // sync of this command, such a path counts as waiting, because that sync may upload the path.
    const isWaiting = judgedPaths.some(
      ({ state, open }) => state === "waiting" || (runs === 0 && open?.kind === "direction-off"),
    );
    const leftMs = deadline - world.clock.monotonic();
    if (!isWaiting || standstill.kind !== "none" || leftMs <= 0)
      return makeWaitReport({ kind: "judged", paths: judgedPaths, documents }, standstill);
    if (runs > 0) await world.clock.sleep(Math.min(leftMs, RETRY_MS * 2 ** Math.min(runs, 5)));
    // Only the first sync of this command repeats changes that the service refused before.
    standstill = readStandstill(await runSync(mirror, { ...USUAL_RUN, byTimer: runs > 0 }, "wait"));
  }
}

function readStandstill({ state, fault, safetyStop }: RunReport): UploadStandstill {
  if (state === "offline") return { kind: "offline", detail: fault?.detail ?? "the service did not answer" };
  if (state !== "stopped") return NO_STANDSTILL;
  return { kind: "stopped", detail: safetyStop?.reasons.map(({ detail }) => detail).join("; ") ?? "" };
}
