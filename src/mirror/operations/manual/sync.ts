import { type MirrorOptions, withMirror } from "../../folder/open-mirror.ts";
import { refuseOppositeRun, type RunReport, type RunRequest, runSync } from "../../folder/run.ts";
import type { Stoppable } from "../../ports/world.ts";
import { ok, type Result } from "../../../common/trouble.ts";

type SyncOptions = Omit<MirrorOptions, "mode" | "what"> & {
  /** Lets a person stop the sync between two steps; undefined if nobody can stop the sync. */
  readonly stoppable?: Stoppable;
};

type SyncOutcome = {
  readonly report: RunReport;
  readonly url: string;
  readonly notes: readonly string[];
};

/**
 * Syncs a linked folder for a user or a program. If a daemon uses the folder, the daemon lends the
 * folder until the sync ends.
 * @param root path of a folder of this user that has `.mdmirror/`
 */
export function syncMirror(
  root: string,
  request: RunRequest,
  { stoppable, ...options }: SyncOptions,
): Promise<Result<SyncOutcome>> {
  return withMirror(root, { ...options, mode: "write", what: "sync" }, async (mirror) => {
    const directionTrouble = refuseOppositeRun(mirror.config, request);
    if (directionTrouble !== null) return { kind: "trouble", trouble: directionTrouble };
    const report = await runSync(mirror, request, "sync", stoppable);
    return ok({ report, url: mirror.url, notes: mirror.notes });
  });
}
