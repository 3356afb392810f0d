import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { askDaemon, NO_DAEMON } from "../../daemon/control/ask.ts";
import type { DelayedChanges } from "../../daemon/control/protocol.ts";
import { readConfig } from "../../settings/config.ts";
import { type MirrorOptions, withMirror } from "../../folder/open-mirror.ts";
import type { RunReport, RunRequest } from "../../folder/run.ts";
import type { Stoppable } from "../../ports/world.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { oppositeTrouble, runSync } from "../../folder/run.ts";

type SyncOptions = Omit<MirrorOptions, "mode" | "what"> & {
  /** Called after a daemon has accepted the request. */
  readonly onDaemon?: () => void;
  /** Called when the daemon delays a change. */
  readonly onDelayed?: (delayed: DelayedChanges) => void;
  /** Runs the steps of the plans. Undefined: nobody can stop the steps. */
  readonly stoppable?: Stoppable;
};

type SyncOutcome = {
  readonly report: RunReport;
  readonly url: string;
  /** Messages about opening the folder; empty if a daemon ran the sync. */
  readonly notes: readonly string[];
};

/**
 * Runs a sync for a user or a program. If a daemon watches the folder, the daemon runs the sync.
 * For options that a daemon does not accept, the daemon lends its lock.
 * @param root a folder of this user that has `.mdmirror/`
 */
export async function syncMirror(
  root: string,
  request: RunRequest,
  { onDaemon, onDelayed, stoppable, ...options }: SyncOptions,
): Promise<Result<SyncOutcome>> {
  if (isPlain(request, options)) {
    const answer = await askDaemon(root, { do: "sync" }, undefined, {
      ...(onDaemon && { onConnected: onDaemon }),
      ...(onDelayed && { onDelayed }),
    });
    if (answer !== NO_DAEMON) return answer.kind === "trouble" ? answer : resultOfSync(root, answer.value.report);
  }
  return withMirror(root, { ...options, mode: "write", what: "sync" }, async (mirror) => {
    const opposite = oppositeTrouble(mirror.config, request);
    if (opposite !== null) return { kind: "trouble", trouble: opposite };
    const report = await runSync(mirror, request, "sync", stoppable);
    return ok({ report, url: mirror.url, notes: mirror.notes });
  });
}

/**
 * Returns true if a daemon can run the sync: the sync uses the linked address and the default
 * options.
 */
function isPlain(
  { direction, maxDeletes }: RunRequest,
  { url = null, keyFile = null, onExchange }: SyncOptions,
): boolean {
  return onExchange === undefined && direction === "both" && maxDeletes === null && url === null && keyFile === null;
}

function resultOfSync(root: string, report: RunReport): Result<SyncOutcome> {
  const config = readConfig(join(root, MIRROR_FOLDER));
  return config.kind === "trouble" ? config : ok({ report, url: config.value.url, notes: [] });
}
