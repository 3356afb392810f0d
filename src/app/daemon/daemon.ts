import { EventEmitter } from "node:events";
import type { CreateDaemon } from "../../engine/daemon/daemon.ts";
import { createWatcher } from "../../local/watch.ts";
import { askDaemon, NO_DAEMON } from "../control/ask.ts";
import { Alerts } from "./alerts.ts";
import { DaemonFolder, type FolderOptions, HANG_MS } from "./daemon-folder.ts";
import type { FolderEvent } from "./folder-events.ts";
import { keepWatchdog, openSdNotify } from "../autostart/sd-notify.ts";
import { errnoClause, ok, type Result, trouble } from "../mirror/trouble.ts";

/** One process that keeps several mirrored folders in sync. */

export type { FolderEvent } from "./folder-events.ts";

export type DaemonsOptions = Omit<FolderOptions, "createDaemon" | "createWatcher" | "onEvent"> & {
  readonly onEvent: (root: string, event: FolderEvent) => void;
  /** Something beside the folders does not work: no desktop, no systemd. */
  readonly onNote: (note: string) => void;
};

/**
 * Opens all folders, or none: a daemon that keeps half of what it was asked to is not noticed.
 * Resolves when `stop` is aborted and everything under way has ended. From then on a folder that
 * breaks is opened again by itself.
 */
export async function runDaemons(
  dirs: readonly string[],
  options: DaemonsOptions,
  stop: AbortSignal,
): Promise<Result<null>> {
  const createDaemon = await loadDaemon();
  const alerts = new Alerts(options);
  const onEvent = (root: string, event: FolderEvent) => {
    alerts.take(root, event);
    options.onEvent(root, event);
  };
  const folders: DaemonFolder[] = [];
  for (const dir of dirs) {
    const opened = await openOne(dir, { ...options, createDaemon, createWatcher, onEvent });
    if (opened.kind === "ok") {
      folders.push(opened.value);
      continue;
    }
    for (const folder of folders) await folder.close();
    return opened;
  }
  return runAll(folders, options, stop);
}

async function openOne(dir: string, options: FolderOptions): Promise<Result<DaemonFolder>> {
  // A daemon that has lent its folder does not hold the lock at this moment; so it is asked.
  const running = await askDaemon(dir, { do: "status" });
  if (running === NO_DAEMON) return DaemonFolder.open(dir, options);
  if (running.kind === "trouble") return running;
  const { pid } = running.value;
  return trouble(
    "locked",
    `a daemon keeps ${dir} already (process ${pid})`,
    "mdmirror status shows what it does; one daemon a folder is enough",
  );
}

async function runAll(
  folders: readonly DaemonFolder[],
  { env, onNote }: DaemonsOptions,
  stop: AbortSignal,
): Promise<Result<null>> {
  const failed = new AbortController();
  const ending = AbortSignal.any([stop, failed.signal]);
  // Each folder, and each run of it, waits for the end.
  EventEmitter.setMaxListeners(0, ending, stop);
  const onFault = (error: Error) => onNote(`systemd cannot be told: ${errnoClause(error)}`);
  const systemd = openSdNotify({ env, pid: process.pid, onFault });
  const off =
    systemd === null ? null : keepWatchdog(systemd, () => folders.every((folder) => folder.stillMs() < HANG_MS));
  stop.addEventListener("abort", () => systemd?.say("STOPPING=1"), { once: true });
  systemd?.say("READY=1", `STATUS=keeps ${folders.length === 1 ? "1 folder" : `${folders.length} folders`} in sync`);
  const ends = await Promise.all(folders.map((folder) => runOne(folder, ending, failed))).finally(off);
  return ends.find((end) => end.kind === "trouble") ?? ok(null);
}

/** @param failed aborted when the folder cannot go on, so that the others end cleanly */
async function runOne(folder: DaemonFolder, ending: AbortSignal, failed: AbortController): Promise<Result<null>> {
  try {
    const end = await folder.run(ending);
    if (end.kind === "trouble") failed.abort();
    return end;
  } catch (error) {
    // A bug outside of the loop.
    failed.abort();
    throw error;
  }
}

/** The engine is loaded when a daemon starts, not with its types. */
async function loadDaemon(): Promise<CreateDaemon> {
  const { createDaemon } = await import("../../engine/daemon/daemon.ts");
  return createDaemon;
}
