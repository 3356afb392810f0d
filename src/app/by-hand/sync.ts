import { askDaemon, NO_DAEMON } from "../control/ask.ts";
import { type MirrorOptions, openMirror } from "../mirror/open-mirror.ts";
import { type RunReport, runSync, USUAL_RUN } from "../mirror/run.ts";
import { ok, type Result } from "../mirror/trouble.ts";

type SyncOptions = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random" | "progress">>;

/**
 * A plain sync that a person asked for, in a process that goes on: by the daemon where one keeps
 * the folder.
 * @param root a folder that holds `.mdmirror/`, of this user
 */
export async function syncMirror(root: string, options: SyncOptions): Promise<Result<RunReport>> {
  const asked = await askDaemon(root, { do: "sync" });
  if (asked !== NO_DAEMON) return asked.kind === "trouble" ? asked : ok(asked.value.report);
  const opened = await openMirror(root, { ...options, mode: "write", what: "sync", isGuest: true });
  if (opened.kind === "trouble") return opened;
  try {
    return ok(await runSync(opened.value, USUAL_RUN, "sync"));
  } finally {
    await opened.value.close();
  }
}
