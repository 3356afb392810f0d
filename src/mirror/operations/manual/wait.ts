/**
 * Waits until the current local content is on the service. A daemon does this if one runs;
 * otherwise the command itself syncs.
 */

import { readPathStates, scanAwaitedPaths } from "../../engine/run/barrier.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { askDaemon, NO_DAEMON, SILENT_CODE } from "../../daemon/control/ask.ts";
import { type MirrorOptions, type OpenedMirror, withMirror } from "../../folder/open-mirror.ts";
import { type RunReport, runSync, USUAL_RUN } from "../../folder/run.ts";
import type { Result, Trouble } from "../../../common/trouble.ts";
import { NO_STANDSTILL, makeWaitReport, type UploadStandstill, type WaitReport } from "../results/waited.ts";

export type WaitRequest = {
  /** Paths below the root; "" is the whole folder. */
  readonly paths: readonly LocalPath[];
  readonly timeoutMs: number;
};

/** Time limit of a wait, if the caller passes none. */
export const USUAL_WAIT = "30s";

type WaitOptions = Omit<MirrorOptions, "mode" | "what">;

/**
 * Milliseconds between two attempts to get the folder's lock. The pause between two runs of a sync
 * begins with twice this time, and doubles after each run, up to eight seconds.
 */
const RETRY_MS = 250;

/** @param root a folder of this user that has `.mdmirror/` */
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
    // If the last sync only uploaded or only downloaded, it may have left out a path. Before the
    // first run of this command, such a path counts as waiting, because that run may upload the
    // path.
    const isWaiting = judgedPaths.some(
      ({ state, open }) => state === "waiting" || (runs === 0 && open?.kind === "direction-off"),
    );
    const leftMs = deadline - world.clock.monotonic();
    if (!isWaiting || standstill.kind !== "none" || leftMs <= 0)
      return makeWaitReport({ kind: "judged", paths: judgedPaths, documents }, standstill);
    if (runs > 0) await world.clock.sleep(Math.min(leftMs, RETRY_MS * 2 ** Math.min(runs, 5)));
    // Only the first run repeats changes that the service refused before.
    standstill = readStandstill(await runSync(mirror, { ...USUAL_RUN, byTimer: runs > 0 }, "wait"));
  }
}

function readStandstill({ state, fault, safetyStop }: RunReport): UploadStandstill {
  if (state === "offline") return { kind: "offline", detail: fault?.detail ?? "the service did not answer" };
  if (state !== "stopped") return NO_STANDSTILL;
  return { kind: "stopped", detail: safetyStop?.reasons.map(({ detail }) => detail).join("; ") ?? "" };
}
