/**
 * A process that keeps several linked folders in sync. If one folder fails, the process opens that
 * folder again later, and meanwhile continues with the others. If `mdmirror mv` moves a folder, the
 * process continues at the new path. The process stops syncing an unlinked folder.
 */
import { EventEmitter } from "node:events";
import { dirname } from "node:path";
import { formatAge, plural } from "../../common/quantities.ts";
import { makeFolders } from "../../common/make-folders.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import { acquireLock } from "../state/lock.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { locateRegistry } from "../trust/registry.ts";
import { DaemonFolder, type FolderOptions, MAX_STILL_MS } from "./daemon-folder.ts";
import { execFile } from "node:child_process";

export type DaemonsOptions = FolderOptions & {
  /**
   * Receives messages that are not about an event of an open folder: a linked folder does not
   * exist, or systemd cannot be notified.
   */
  readonly onNote: (note: string) => void;
};

/**
 * Keeps the given folders in sync. If one folder cannot be opened, opens no folder, because a user
 * would not notice the missing folder. Resolves when `stop` aborts or no folder is left, after all
 * work has ended.
 */
export async function runDaemons(
  dirs: readonly string[],
  options: DaemonsOptions,
  stop: AbortSignal,
): Promise<Result<null>> {
  const folders: DaemonFolder[] = [];
  for (const dir of dirs) {
    const openResult = await DaemonFolder.open(dir, options);
    if (openResult.kind === "ok") {
      folders.push(openResult.value);
      continue;
    }
    for (const folder of folders) await folder.close();
    return openResult;
  }
  const keptFolders = new SyncedFolders(options, stop);
  return keptFolders.notifySystemd(async (ready) => {
    for (const folder of folders) keptFolders.begin(folder);
    ready();
    await keptFolders.ended();
  });
}

/** Milliseconds between two checks for folders that were linked or mounted. */
const CHECK_MS = 2_000;

/**
 * Keeps every linked folder of this user in sync, including folders that are linked later. Resolves
 * when `stop` aborts, after all work has ended.
 * @returns trouble of kind `locked` if another process already keeps all folders in sync
 */
export async function syncAllMirrors(options: DaemonsOptions, stop: AbortSignal): Promise<Result<null>> {
  const lock = lockMirrorList(dirname(locateRegistry(options.env)), options);
  if (lock.kind === "trouble") return lock;
  const keptFolders = new SyncedFolders(options, stop);
  return keptFolders
    .notifySystemd(async (ready) => {
      let absentRoots: ReadonlySet<string> | null = null;
      while (!stop.aborted) {
        const isFirst = absentRoots === null;
        absentRoots = keptFolders.followList(absentRoots);
        if (isFirst) ready();
        await options.clock.sleep(CHECK_MS, stop);
      }
      await keptFolders.ended();
    })
    .finally(lock.value);
}

/**
 * Takes the lock that prevents a second `watch --all`, and returns a function that frees the lock.
 * Without write access to the lock's folder, continues without the lock, because each linked folder
 * has a lock of its own.
 */
function lockMirrorList(folder: string, { clock, onNote }: DaemonsOptions): Result<() => void> {
  try {
    makeFolders(folder, 0o700);
    const lock = acquireLock(folder, { since: clock.now(), what: "watch" });
    if (lock.kind === "locked") return ok(() => lock.release());
    const { holder } = lock;
    const holderClause =
      holder === null ? "" : ` (process ${holder.pid}, for ${formatAge(clock.now() - holder.since)})`;
    return trouble(
      "locked",
      `another mdmirror watch --all already syncs your linked folders${holderClause}`,
      "mdmirror status --all shows what it does; one such process is enough",
    );
  } catch (error) {
    onNote(`${folder} cannot be written, so mdmirror cannot prevent a second watch --all: ${errnoClause(error)}`);
    return ok(() => undefined);
  }
}

type SyncedFolder = { readonly folder: DaemonFolder; readonly stop: AbortController; readonly ended: Promise<void> };

class SyncedFolders {
  readonly #options: DaemonsOptions;
  readonly #stop: AbortSignal;
  /** Folders in sync, by real path. */
  readonly #kept = new Map<string, SyncedFolder>();
  readonly #reportedNotes = new Set<string>();

  constructor(options: DaemonsOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
    // Node warns if one signal has many listeners. Each folder and each run adds a listener to this
    // signal.
    EventEmitter.setMaxListeners(0, stop);
  }

  /** Reports start, end and signs of life of `work` to systemd, if `NOTIFY_SOCKET` is set. */
  async notifySystemd(work: (ready: () => void) => Promise<void>): Promise<Result<null>> {
    const { env, onNote } = this.#options;
    const onFault = (error: Error) => onNote(`systemd cannot be notified: ${errnoClause(error)}`);
    const systemd = openSdNotify({ env, pid: process.pid, onFault });
    const isAlive = () => [...this.#kept.values()].every(({ folder }) => folder.stillMs() < MAX_STILL_MS);
    const endWatchdog = systemd === null ? () => undefined : startWatchdog(systemd, isAlive);
    this.#stop.addEventListener("abort", () => systemd?.send("STOPPING=1"), { once: true });
    const reportReady = () => systemd?.send("READY=1", `STATUS=keeps ${plural(this.#kept.size, "folder")} in sync`);
    await work(reportReady).finally(endWatchdog);
    return ok(null);
  }

  async ended(): Promise<void> {
    while (this.#kept.size > 0) await Promise.all([...this.#kept.values()].map(({ ended }) => ended));
  }

  /** Keeps the folder in sync. If a command moves the folder, continues at the new path. */
  begin(folder: DaemonFolder): void {
    const { root } = folder;
    const stop = new AbortController();
    const endSignal = AbortSignal.any([stop.signal, this.#stop]);
    EventEmitter.setMaxListeners(0, endSignal);
    const folderEnded = folder.run(endSignal).then((end) => {
      this.#kept.delete(root);
      if (end.kind === "moved" && !this.#kept.has(end.root)) this.begin(new DaemonFolder(end.root, this.#options));
    });
    this.#kept.set(root, { folder, stop, ended: folderEnded });
  }

  /**
   * Begins to sync folders that were added to the list of linked folders. Stops syncing folders
   * that were removed from the list. Reports missing folders. `init` lists a folder before creating
   * it, so an added folder is reported only if two checks find it missing.
   * @param before folders that did not exist at the last check; null at the first check, which
   * reports all missing folders
   * @returns the folders that do not exist now
   */
  followList(before: ReadonlySet<string> | null): ReadonlySet<string> {
    const { mirrors, unfit } = listOwnMirrors(this.#options.env);
    for (const why of unfit) this.#note(`${why}; its folder is not synced; mdmirror trust allows it again`);
    const roots = new Set(mirrors.map(({ root }) => root));
    // The list lacks a folder whose registry entry cannot be trusted (`unfit`), but this folder may
    // still be linked. So no folder is stopped while there is such an entry.
    if (unfit.length === 0) for (const [root, { stop }] of this.#kept) if (!roots.has(root)) stop.abort();
    const addedMirrors = mirrors.filter(({ root }) => !this.#kept.has(root));
    for (const { root } of addedMirrors.filter(({ place }) => place === "present"))
      this.begin(new DaemonFolder(root, this.#options));
    const absentMirrors = addedMirrors.filter(({ place }) => place !== "present");
    for (const { root, name } of absentMirrors.filter((one) => before?.has(one.root) !== false))
      this.#note(`${root}, your linked folder "${name}", does not exist; mdmirror syncs it as soon as it does`);
    if (mirrors.length + unfit.length === 0)
      this.#note("no folder is linked yet; mdmirror syncs each folder as soon as mdmirror init links it");
    return new Set(absentMirrors.map(({ root }) => root));
  }

  /** Reports a message, unless the same message was reported before. */
  #note(text: string): void {
    if (this.#reportedNotes.has(text)) return;
    this.#reportedNotes.add(text);
    this.#options.onNote(text);
  }
}

type SdNotifyOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Receives an error, at most once, if the program `systemd-notify` is missing or fails. */
  readonly onFault: (error: Error) => void;
};

const DEADLINE_MS = 10_000;

type SystemdNotifier = {
  /** Milliseconds in which systemd expects a sign of life; null if systemd expects none. */
  readonly watchdogMs: number | null;
  /** Sends assignments such as `READY=1`, `STOPPING=1` or `STATUS=…` to systemd. */
  send(...assignments: string[]): void;
};

/**
 * Reports to systemd that the daemon is ready and alive. Node cannot send to systemd's socket, so
 * the program `systemd-notify` sends each message. systemd identifies a sender by its process, so
 * `systemd-notify` ends only when systemd has read the message. The unit accepts messages of other
 * processes with `NotifyAccess=all`.
 * @returns null if systemd did not ask for notifications
 */
export function openSdNotify({ env, pid, onFault }: SdNotifyOptions): SystemdNotifier | null {
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return null;
  // `systemd-notify` gets no other variables, because a variable may contain the key.
  const variables = { PATH: env["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
  let isFaulty = false;
  const send: SystemdNotifier["send"] = (...assignments) => {
    execFile("systemd-notify", assignments, { env: variables, timeout: DEADLINE_MS }, (error) => {
      if (error === null || isFaulty) return;
      isFaulty = true;
      onFault(error);
    });
  };
  return { watchdogMs: readWatchdogMs(env, pid), send };
}

/**
 * Sends four signs of life to systemd in each watchdog period. Sends no signs of life while `alive`
 * returns false; systemd then restarts the daemon.
 * @returns a function that ends the signs of life
 */
export function startWatchdog(sd: SystemdNotifier, alive: () => boolean): () => void {
  if (sd.watchdogMs === null) return () => undefined;
  const timer = setInterval(() => {
    if (alive()) sd.send("WATCHDOG=1");
  }, sd.watchdogMs / 4);
  timer.unref();
  return () => clearInterval(timer);
}

function readWatchdogMs(env: SdNotifyOptions["env"], pid: number): number | null {
  const watchdogPid = env["WATCHDOG_PID"];
  if (watchdogPid !== undefined && watchdogPid !== "" && watchdogPid !== String(pid)) return null;
  const periodMicros = Number(env["WATCHDOG_USEC"] ?? "");
  return Number.isFinite(periodMicros) && periodMicros > 0 ? periodMicros / 1_000 : null;
}
