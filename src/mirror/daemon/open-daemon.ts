import type { Progress } from "../ports/world.ts";
import type { Watcher } from "../ports/watch.ts";
import { type CreateDaemon, createDaemon, type Daemon, type DaemonTiming } from "../engine/daemon/daemon.ts";
import { createWatcher } from "../local/watch.ts";
import { timeMs } from "../settings/settings.ts";
import { DAEMON } from "../folder/folder-lock.ts";
import { type MirrorOptions, type OpenedMirror, openMirror } from "../folder/open-mirror.ts";
import { limitsSinceStop, editorWaitOf, settingsOf, USUAL_RUN } from "../folder/run.ts";
import { ok, type Result } from "../../common/trouble.ts";

/** A linked folder with the engine's loop. */
export type OpenedDaemon = {
  readonly mirror: OpenedMirror;
  readonly daemon: Daemon;
  /** Aborted when the folder has to be closed and opened again. */
  readonly reopen: AbortController;
};

export type DaemonSetup = Pick<MirrorOptions, "env" | "cwd" | "clock" | "random" | "url" | "keyFile" | "tally"> & {
  /** For tests: others than the engine's loop and the disk's watcher. */
  readonly createDaemon?: CreateDaemon;
  readonly createWatcher?: (root: string) => Watcher;
  readonly timing?: Partial<DaemonTiming>;
  /** Receives the transfers. */
  readonly traffic?: Progress;
};

/**
 * Takes the folder's lock.
 * @param dir a folder that has `.mdmirror/`
 */
export async function openDaemon(dir: string, options: DaemonSetup): Promise<Result<OpenedDaemon>> {
  const { env, cwd, clock, random, url = null, keyFile = null, timing = {} } = options;
  const { tally, traffic: progress } = options;
  const told = { ...(tally === undefined ? {} : { tally }), ...(progress === undefined ? {} : { progress }) };
  const reach = { url, keyFile, ...told };
  const opened = await openMirror(dir, { mode: "write", what: DAEMON, env, cwd, clock, random, ...reach });
  if (opened.kind === "trouble") return opened;
  const mirror = opened.value;
  const watcher = (options.createWatcher ?? createWatcher)(mirror.root);
  const settings = {
    ...settingsOf(mirror, USUAL_RUN),
    handsOff: editorWaitOf(mirror.config, "watch"),
    // Read for each run, because the choice of `init --prefer` ends with the first complete run.
    get prefer() {
      return settingsOf(mirror, USUAL_RUN).prefer;
    },
    // A run with a smaller limit was stopped; the daemon's own limit must not override that.
    get guards() {
      return limitsSinceStop(mirror);
    },
  };
  const { listen, pollEvery } = mirror.config.events;
  const { requestsPerMinute: pollRequestsAMinute } = mirror.config.polling;
  const daemonOptions = {
    settings,
    timing: { pollListeningMs: timeMs(pollEvery), pollRequestsAMinute, ...timing },
    ...(listen ? { news: mirror.world.remote.news() } : {}),
  };
  const daemon = (options.createDaemon ?? createDaemon)(mirror.world, watcher, daemonOptions);
  return ok({ mirror, daemon, reopen: new AbortController() });
}
