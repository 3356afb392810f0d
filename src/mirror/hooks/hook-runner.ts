import {
  describeFailure,
  EVENT_NAMES,
  type EventName,
  type Hook,
  type HookEnd,
  readHooks,
  selectHooks,
  USUAL_DEBOUNCE,
} from "./hook.ts";
import type { Log } from "../ports/world.ts";
import type { FolderEvent } from "../daemon/folder-events.ts";
import { chooseFailureReason, type WaitReason } from "../engine/daemon/interface.ts";
import { quoteForShell } from "../model/shell-word.ts";
import type { Environment } from "../trust/registry.ts";
import { errnoClause } from "../../common/trouble.ts";
import {
  collectFacts,
  type FolderState,
  type HookFacts,
  readStoredFacts,
  type WatchedEvent,
  watchEvent,
} from "./events.ts";
import { type HookEvent, type HookWorld, runHook } from "./run-hook.ts";

/**
 * The program gets the text of an event as one argument, so that a path in the text cannot run as
 * code.
 */
const LINUX_COMMAND = `exec notify-send --app-name=mdmirror -- "$MDMIRROR_HOOK_TEXT"`;
const MAC_COMMAND = `exec osascript -e 'on run argv' -e 'display notification (item 1 of argv) with title "mdmirror"' -e 'end run' -- "$MDMIRROR_HOOK_TEXT"`;

/**
 * Returns the hook that shows a desktop notification after a conflict or a stop. Returns null
 * without a desktop, or if the user has set `MDMIRROR_NOTIFY=off`.
 */
export function makeDesktopHook(env: Environment, platform: NodeJS.Platform = process.platform): Hook | null {
  const command = env["MDMIRROR_NOTIFY"] === "off" ? null : chooseCommand(env, platform);
  if (command === null) return null;
  return {
    name: "desktop notification",
    on: new Map((["stopped", "conflict"] as const).map((event) => [event, USUAL_DEBOUNCE[event]])),
    mirrors: null,
    timeoutMs: 5_000,
    argv: ["/bin/sh", "-c", command],
  };
}

function chooseCommand(env: Environment, platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return MAC_COMMAND;
  const hasSession = ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"].some(
    (name) => (env[name] ?? "") !== "",
  );
  return platform === "linux" && hasSession ? LINUX_COMMAND : null;
}

/** State of one of the daemon's folders, for finding events. Times are of the monotonic clock. */
type WatchedFolder = {
  log: Log | null;
  /** State of the folder when the daemon opened it; null if the state could not be read. */
  start: HookFacts | null;
  /** State of the folder after the last run; null before the end of the first run. */
  state: FolderState | null;
  offline: { readonly code: WaitReason; readonly since: number } | null;
  readonly changes: Record<string, number>;
  readonly watched: Map<string, WatchedEvent>;
};

type RunnerOptions = HookWorld & {
  /** Receives messages about hooks for the user who started the daemon. */
  readonly onNote: (note: string) => void;
};

/**
 * LIMIT: milliseconds between two checks of the hooks, because a busy daemon may have many runs a
 * second.
 */
const CHECK_PAUSE_MS = 500;
/** LIMIT: milliseconds until `hooks.json` is read again, so that a change is noticed. */
const IDLE_MS = 60_000;
/**
 * LIMIT: milliseconds that an ending daemon waits for active hooks, so that the daemon ends soon.
 * Then the daemon ends the hooks.
 */
const MAX_END_MS = 5_000;

/**
 * Runs a hook when the state of a folder changes in a way for which the user set up the hook.
 * Syncing never waits for a hook. A hook is not started again while it is running.
 */
export class HookRunner {
  readonly #options: RunnerOptions;
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #killing = new AbortController();
  readonly #checked: Promise<void>;
  #wake = new AbortController();
  /** Hook that shows desktop notifications; null without a desktop, or after this hook failed. */
  #desktop: Hook | null;
  /** Last message about `hooks.json`, because the same message is not sent twice. */
  #lastNote: string | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#desktop = makeDesktopHook(options.env);
    this.#checked = this.#checkUntilEnd();
  }

  takeEvent(root: string, event: FolderEvent, log: Log | null): void {
    if (event.kind === "left") return void this.#folders.delete(root);
    const newFolder: WatchedFolder = { log, start: null, state: null, offline: null, changes: {}, watched: new Map() };
    const folder = this.#folders.get(root) ?? newFolder;
    this.#folders.set(root, folder);
    folder.log = log ?? folder.log;
    if (event.kind === "opened") folder.start ??= readStoredFacts(root);
    if (updateFolder(folder, event, this.#options.clock.monotonic())) this.#wake.abort();
  }

  /** Ends the checks. Resolves when no hook is active; ends a hook that runs too long. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#checked;
    const endedController = new AbortController();
    const lateKill = this.#options.clock.sleep(MAX_END_MS, endedController.signal).then(() => this.#killing.abort());
    await Promise.all(this.#running.values());
    endedController.abort();
    await lateKill;
  }

  async #checkUntilEnd(): Promise<void> {
    const { clock, onNote } = this.#options;
    const { signal: stop } = this.#stop;
    try {
      while (!stop.aborted) {
        const nextCheckAt = Math.min(clock.monotonic() + IDLE_MS, ...this.#checkAll());
        await clock.sleep(Math.max(0, nextCheckAt - clock.monotonic()), AbortSignal.any([stop, this.#wake.signal]));
        await clock.sleep(CHECK_PAUSE_MS, stop);
      }
    } catch (error) {
      // An error in the code for hooks stops all hooks, but not syncing.
      onNote(`an error in mdmirror itself prevents further hooks: ${errnoClause(error)}`);
    }
  }

  /** Starts all hooks that are due. Returns the times at which further hooks will be due. */
  #checkAll(): number[] {
    // ORDER: the new signal is created before the check, so that an event during the check causes
    // another check.
    this.#wake = new AbortController();
    const { env, clock, onNote } = this.#options;
    const hooksResult = readHooks(env);
    const note = hooksResult.kind === "ok" ? null : `${hooksResult.trouble.what}; next: ${hooksResult.trouble.next}`;
    if (note !== null && note !== this.#lastNote) onNote(note);
    this.#lastNote = note;
    const hooks = [this.#desktop ?? [], hooksResult.kind === "ok" ? hooksResult.value : []].flat();
    if (hooks.length === 0) return [];
    const time = clock.monotonic();
    return [...this.#folders].flatMap(([root, folder]) => {
      if (folder.state === null) return [];
      const { offline, changes } = folder;
      const outage = offline === null ? null : { code: offline.code, ms: time - offline.since };
      const currentFacts = collectFacts(root, folder.state, { offline: outage, changes: { ...changes } });
      return selectHooks(root, hooks, env).flatMap((hook) => this.#checkHook(hook, root, folder, currentFacts, time));
    });
  }

  /**
   * Starts a hook for the first event that is due. Returns the times at which the hook will be due
   * for other events.
   */
  #checkHook(hook: Hook, root: string, folder: WatchedFolder, now: HookFacts, time: number): number[] {
    return EVENT_NAMES.flatMap((event) => {
      const debounce = hook.on.get(event);
      if (debounce === undefined || this.#running.has(hook.name)) return [];
      const name = `${hook.name} ${event}`;
      const previousEvent = folder.watched.get(name) ?? { baseline: folder.start ?? now, pending: null };
      const { due, items, ...watched } = watchEvent(previousEvent, now, { event, debounce, time });
      folder.watched.set(name, watched);
      if (due === null || due > time) return due ?? [];
      this.#start(hook, { event, items, before: previousEvent.baseline, now }, root, folder);
      return [];
    });
  }

  #start(hook: Hook, event: HookEvent, root: string, folder: WatchedFolder): void {
    const about = `the hook "${hook.name}" failed on ${event.event} of ${quoteForShell(root)}`;
    const { onNote } = this.#options;
    const hookRun = runHook(hook, event, root, this.#options, this.#killing.signal)
      .then((end) => {
        logHookEnd(folder.log, hook, event.event, end);
        if (end.kind === "done") return;
        onNote(`${about}: ${describeFailure(end)}`);
        if (hook === this.#desktop) this.#desktop = null;
      })
      .catch((error: unknown) => onNote(`${about}: ${errnoClause(error)}`))
      .finally(() => {
        this.#running.delete(hook.name);
        this.#wake.abort();
      });
    this.#running.set(hook.name, hookRun);
  }
}

/** Returns true if the hooks have to be checked after the event. */
function updateFolder(folder: WatchedFolder, event: FolderEvent, now: number): boolean {
  const { offline } = folder;
  const makeOutage = (code: WaitReason) => ({ code, since: offline?.since ?? now });
  if (event.kind === "run") {
    const { state, attention, safetyStop, fault, counts } = event.report;
    folder.state = { state, attention, safetyStop };
    folder.offline = state === "offline" ? makeOutage(chooseFailureReason(fault)) : null;
    const { blocked: _blocked, ...synced } = counts;
    for (const [name, count] of Object.entries(synced)) folder.changes[name] = (folder.changes[name] ?? 0) + count;
    return true;
  }
  if (event.kind !== "phase") return false;
  const { phase } = event;
  // A phase such as a scan does not show whether the service can be reached, so the last known
  // value stays.
  if (phase.kind === "waiting" && phase.why !== "paused") folder.offline = makeOutage(phase.why);
  else if (phase.kind === "idle" || phase.kind === "stopped") folder.offline = null;
  return true;
}

/** Logs the end of a hook, but not the hook's output, which may contain content or secrets. */
function logHookEnd(log: Log | null, { name }: Hook, action: EventName, end: HookEnd): void {
  const commonFields = { what: name, action, ms: end.ms };
  if (end.kind === "done") return void log?.write("info", "hook", { ...commonFields, outcome: "done" });
  const code = typeof end.code === "number" ? { status: end.code } : { code: end.code };
  log?.write("warn", "hook", { ...commonFields, outcome: "failed", reason: end.reason, ...code });
}
