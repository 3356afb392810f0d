import { EventEmitter } from "node:events";
import { askDaemon, NO_DAEMON } from "./control/ask.ts";
import { DaemonFolder, type FolderOptions, HANG_MS } from "./daemon-folder.ts";
import { keepWatchdog, openSdNotify } from "./autostart/sd-notify.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";

/** One process that keeps several linked folders in sync. */

export type { FolderEvent } from "./folder-events.ts";

export type DaemonsOptions = FolderOptions & {
  /** Called for problems outside the folders: no systemd. */
  readonly onNote: (note: string) => void;
};

/**
 * Opens all folders or none: nobody would notice that a daemon syncs only some of them. Later, a
 * folder whose loop fails is opened again, one that `mdmirror mv` moves is followed, and an
 * unlinked one is dropped. Resolves when `stop` is aborted and all active work has ended.
 */
export async function runDaemons(
  dirs: readonly string[],
  options: DaemonsOptions,
  stop: AbortSignal,
): Promise<Result<null>> {
  const folders: DaemonFolder[] = [];
  for (const dir of dirs) {
    const opened = await openDaemonFolder(dir, options);
    if (opened.kind === "ok") {
      folders.push(opened.value);
      continue;
    }
    for (const folder of folders) await folder.close();
    return opened;
  }
  return runAll(folders, options, stop);
}

export async function openDaemonFolder(dir: string, options: FolderOptions): Promise<Result<DaemonFolder>> {
  // A daemon that lent its folder does not have the lock at this moment, so it is asked.
  const running = await askDaemon(dir, { do: "status" });
  if (running === NO_DAEMON) return DaemonFolder.open(dir, options);
  if (running.kind === "trouble") return running;
  const { pid } = running.value;
  return trouble(
    "locked",
    `a daemon already syncs ${dir} (process ${pid})`,
    "mdmirror status shows what it does; one daemon a folder is enough",
  );
}

async function runAll(
  folders: readonly DaemonFolder[],
  options: DaemonsOptions,
  stop: AbortSignal,
): Promise<Result<null>> {
  const failed = new AbortController();
  const ending = AbortSignal.any([stop, failed.signal]);
  // Each folder and each of its runs listens for the end: there is no fixed number of listeners.
  EventEmitter.setMaxListeners(0, ending, stop);
  const kept = new Set(folders);
  const systemd = notifySystemd(options, () => [...kept], stop);
  systemd.ready(folders.length);
  const ends = await Promise.all(
    folders.map((folder) => runOne(folder, kept, options, ending).catch(failAll).then(endAll)),
  ).finally(systemd.end);
  return ends.find((end) => end.kind === "trouble") ?? ok(null);

  /** A folder that cannot continue ends the others too, cleanly. */
  function endAll(end: Result<null>): Result<null> {
    if (end.kind === "trouble") failed.abort();
    return end;
  }

  /** A bug outside a folder's loop ends all folders. */
  function failAll(error: unknown): never {
    failed.abort();
    throw error;
  }
}

/** Keeps one folder in sync until the end, and follows it if a command moves it. */
async function runOne(
  first: DaemonFolder,
  kept: Set<DaemonFolder>,
  options: FolderOptions,
  ending: AbortSignal,
): Promise<Result<null>> {
  for (let folder = first; ; ) {
    const end = await folder.run(ending);
    kept.delete(folder);
    if (end.kind === "trouble") return end;
    if (end.value.kind !== "moved") return ok(null);
    const opened = await openDaemonFolder(end.value.root, options);
    if (opened.kind === "trouble") return opened;
    folder = opened.value;
    kept.add(folder);
  }
}

/** Notifies systemd about the daemon if systemd asked for it (`NOTIFY_SOCKET`). */
export function notifySystemd(
  { env, onNote }: DaemonsOptions,
  folders: () => readonly DaemonFolder[],
  stop: AbortSignal,
): { readonly ready: (count: number) => void; readonly end: () => void } {
  const onFault = (error: Error) => onNote(`systemd cannot be notified: ${errnoClause(error)}`);
  const systemd = openSdNotify({ env, pid: process.pid, onFault });
  if (systemd === null) return { ready: () => undefined, end: () => undefined };
  const end = keepWatchdog(systemd, () => folders().every((folder) => folder.stillMs() < HANG_MS));
  stop.addEventListener("abort", () => systemd.say("STOPPING=1"), { once: true });
  const ready = (count: number) =>
    systemd.say("READY=1", `STATUS=keeps ${count === 1 ? "1 folder" : `${count} folders`} in sync`);
  return { ready, end };
}
