import type { Watcher } from "../ports/watch.ts";
import { type CreateDaemon, createDaemon, type Daemon, type DaemonTiming } from "../engine/daemon/daemon.ts";
import type { DaemonOptions } from "../engine/daemon/daemon-types.ts";
import { createWatcher } from "../local/watch.ts";
import { timeMs } from "../settings/settings.ts";
import { DAEMON_COMMAND } from "../folder/folder-lock.ts";
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

export type DaemonSetup = Omit<MirrorOptions, "mode" | "what" | "onExchange"> & {
  /** For tests: replacements of the engine's loop and of the disk's watcher. */
  readonly createDaemon?: CreateDaemon;
  readonly createWatcher?: (root: string) => Watcher;
  readonly timing?: Partial<DaemonTiming>;
};

/**
 * Takes the folder's lock.
 * @param dir a folder that has `.mdmirror/`
 */
export async function openDaemon(dir: string, options: DaemonSetup): Promise<Result<OpenedDaemon>> {
  const opened = await openMirror(dir, { ...options, mode: "write", what: DAEMON_COMMAND });
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
  const timing = { pollListeningMs: timeMs(pollEvery), pollRequestsAMinute, ...options.timing };
  // `events` is not added by a conditional spread, in which the compiler would not check the name.
  const daemonOptions: DaemonOptions = listen
    ? { settings, timing, events: mirror.world.remote.events() }
    : { settings, timing };
  const daemon = (options.createDaemon ?? createDaemon)(mirror.world, watcher, daemonOptions);
  return ok({ mirror, daemon, reopen: new AbortController() });
}

/**
 * Closes a folder, to be opened again, if the service refuses its key and mdmirror would find
 * another key now. Such a key was stored by `mdmirror init --key-file`, or a key file was renewed.
 * @returns true if the folder was closed
 */
export function closeIfKeyChanged({ mirror, daemon, reopen }: OpenedDaemon): boolean {
  const { phase } = daemon.status();
  if (phase.kind !== "waiting" || phase.why !== "unauthenticated" || mirror.hasNewKey?.() !== true) return false;
  reopen.abort();
  return true;
}
