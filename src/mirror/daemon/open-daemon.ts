import type { Watcher } from "../ports/disk.ts";
import { type CreateDaemon, createDaemon, type Daemon, type DaemonTiming } from "../engine/daemon/daemon.ts";
import type { DaemonOptions } from "../engine/daemon/daemon-types.ts";
import { createWatcher } from "../local/watch.ts";
import { parseTime } from "../settings/settings.ts";
import { DAEMON_COMMAND } from "../folder/folder-lock.ts";
import { type MirrorOptions, type OpenedMirror, openMirror } from "../folder/open-mirror.ts";
import { readGuardLimits, chooseEditorWait, makeRunSettings, USUAL_RUN } from "../folder/run.ts";
import { ok, type Result } from "../../common/trouble.ts";

export type OpenedDaemon = {
  readonly mirror: OpenedMirror;
  readonly daemon: Daemon;
  /** Controller for a restart: once it aborts, the daemon closes the folder and opens it again. */
  readonly reopen: AbortController;
};

export type DaemonSetup = Omit<MirrorOptions, "mode" | "what" | "onExchange"> & {
  /** Lets tests replace the engine's loop and the watcher of the disk. */
  readonly createDaemon?: CreateDaemon;
  readonly createWatcher?: (root: string) => Watcher;
  readonly timing?: Partial<DaemonTiming>;
};

/**
 * Opens a linked folder for the daemon, and takes its lock.
 * @param dir a folder that has `.mdmirror/`
 */
export async function openDaemon(dir: string, options: DaemonSetup): Promise<Result<OpenedDaemon>> {
  const openResult = await openMirror(dir, { ...options, mode: "write", what: DAEMON_COMMAND });
  if (openResult.kind === "trouble") return openResult;
  const mirror = openResult.value;
  const watcher = (options.createWatcher ?? createWatcher)(mirror.root);
  const settings = {
    ...makeRunSettings(mirror, USUAL_RUN),
    handsOff: chooseEditorWait(mirror.config, "watch"),
    // `init --prefer` is valid only until the first complete run, so each run reads it again.
    get prefer() {
      return makeRunSettings(mirror, USUAL_RUN).prefer;
    },
    // If a run with a smaller deletion limit was stopped, the daemon uses that limit until the stop
    // has ended.
    get guards() {
      return readGuardLimits(mirror);
    },
  };
  const { listen, pollEvery } = mirror.config.events;
  const { requestsPerMinute: pollRequestsAMinute } = mirror.config.polling;
  const timing = { pollListeningMs: parseTime(pollEvery), pollRequestsAMinute, ...options.timing };
  // Two separate objects, because the compiler does not check the names in a conditional spread.
  const daemonOptions: DaemonOptions = listen
    ? { settings, timing, events: mirror.world.remote.events() }
    : { settings, timing };
  const daemon = (options.createDaemon ?? createDaemon)(mirror.world, watcher, daemonOptions);
  return ok({ mirror, daemon, reopen: new AbortController() });
}

/**
 * Makes the daemon open the folder again if the service refuses the key, and mdmirror would now
 * find another key. The new key may come from `mdmirror init --key-file`, or from a key file that
 * somebody changed.
 * @returns true if the folder will be opened again
 */
export function closeIfKeyChanged({ mirror, daemon, reopen }: OpenedDaemon): boolean {
  const { phase } = daemon.status();
  if (phase.kind !== "waiting" || phase.why !== "unauthenticated" || mirror.hasNewKey?.() !== true) return false;
  reopen.abort();
  return true;
}
