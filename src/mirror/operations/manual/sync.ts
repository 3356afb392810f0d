import { type MirrorOptions, withMirror } from "../../folder/open-mirror.ts";
import { oppositeTrouble, type RunReport, type RunRequest, runSync } from "../../folder/run.ts";
import type { Stoppable } from "../../ports/world.ts";
import { ok, type Result } from "../../../common/trouble.ts";

type SyncOptions = Omit<MirrorOptions, "mode" | "what"> & {
  /** Lets a person stop the run between two steps. Undefined: the run cannot be stopped. */
  readonly stoppable?: Stoppable;
};

type SyncOutcome = {
  readonly report: RunReport;
  readonly url: string;
  /** Messages about opening the folder. */
  readonly notes: readonly string[];
};

/**
 * Runs a sync for a user or a program. If a daemon runs, it lends the folder until the end.
 * @param root a folder of this user that has `.mdmirror/`
 */
export function syncMirror(
  root: string,
  request: RunRequest,
  { stoppable, ...options }: SyncOptions,
): Promise<Result<SyncOutcome>> {
  return withMirror(root, { ...options, mode: "write", what: "sync" }, async (mirror) => {
    const opposite = oppositeTrouble(mirror.config, request);
    if (opposite !== null) return { kind: "trouble", trouble: opposite };
    const report = await runSync(mirror, request, "sync", stoppable);
    return ok({ report, url: mirror.url, notes: mirror.notes });
  });
}
