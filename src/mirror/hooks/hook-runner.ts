import type { Log } from "../ports/world.ts";
import type { FolderEvent } from "../daemon/folder-events.ts";
import { type WaitReason, waitReasonOf } from "../engine/daemon/phase.ts";
import { shellWord } from "../model/shell-word.ts";
import { errnoClause } from "../../common/trouble.ts";
import { desktopHook } from "./desktop.ts";
import { type WatchedEvent, watchEvent } from "./events.ts";
import { type Facts, factsOf, type FolderState, readStoredFacts } from "./facts.ts";
import { EVENT_NAMES, type EventName, failureClause, type Hook, type HookEnd } from "./hook.ts";
import type { HookEvent } from "./message.ts";
import { hooksFor, readHooks } from "./read-hooks.ts";
import { type HookWorld, runHook } from "./run-hook.ts";

/** One folder of a daemon. Times are by the monotonic clock. */
type Folder = {
  log: Log | null;
  /** State when the daemon opened the folder; null if the state could not be read. */
  start: Facts | null;
  /** State after the last run; null if none has ended yet. */
  state: FolderState | null;
  offline: { readonly code: WaitReason; readonly since: number } | null;
  readonly changes: Record<string, number>;
  readonly watched: Map<string, WatchedEvent>;
};

type RunnerOptions = HookWorld & {
  /** Called for problems with hooks, to show them to the user who started the daemon. */
  readonly onNote: (note: string) => void;
};

/** LIMIT: milliseconds between two checks of the hooks; a busy daemon has many runs a second. */
const CHECK_PAUSE_MS = 500;
/** LIMIT: milliseconds to the next check of the hooks without an event. */
const IDLE_MS = 60_000;
/** LIMIT: milliseconds that active hooks have when the daemon ends. */
const END_MS = 5_000;

/**
 * Runs hooks for the folders of a daemon, when the state of a folder differs from the state that
 * the hook last saw. Syncing never waits for a hook, and each hook runs only once at a time.
 */
export class HookRunner {
  readonly #options: RunnerOptions;
  readonly #folders = new Map<string, Folder>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #killing = new AbortController();
  readonly #checked: Promise<void>;
  #wake = new AbortController();
  /** Hook for desktop notifications. Null if there is no desktop, or a notification failed. */
  #desktop: Hook | null;
  /** Last message about the file `hooks.json`; the same message is reported only once. */
  #lastNote: string | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#desktop = desktopHook(options.env);
    this.#checked = this.#checkUntilEnd();
  }

  takeEvent(root: string, event: FolderEvent, log: Log | null): void {
    if (event.kind === "left") return void this.#folders.delete(root);
    const fresh: Folder = { log, start: null, state: null, offline: null, changes: {}, watched: new Map() };
    const folder = this.#folders.get(root) ?? fresh;
    this.#folders.set(root, folder);
    folder.log = log ?? folder.log;
    if (event.kind === "opened") folder.start ??= readStoredFacts(root);
    if (updateFolder(folder, event, this.#options.clock.monotonic())) this.#wake.abort();
  }

  /** Resolves when no hook is active. Hooks that take too long are ended. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#checked;
    const allEnded = new AbortController();
    const late = this.#options.clock.sleep(END_MS, allEnded.signal).then(() => this.#killing.abort());
    await Promise.all(this.#running.values());
    allEnded.abort();
    await late;
  }

  async #checkUntilEnd(): Promise<void> {
    const { clock, onNote } = this.#options;
    const { signal: stop } = this.#stop;
    try {
      while (!stop.aborted) {
        const next = Math.min(clock.monotonic() + IDLE_MS, ...this.#checkAll());
        await clock.sleep(Math.max(0, next - clock.monotonic()), AbortSignal.any([stop, this.#wake.signal]));
        await clock.sleep(CHECK_PAUSE_MS, stop);
      }
    } catch (error) {
      // Syncing continues without hooks.
      onNote(`an error in mdmirror itself prevents further hooks: ${errnoClause(error)}`);
    }
  }

  /** Checks all hooks, and returns the times at which pending events are due. */
  #checkAll(): number[] {
    // ORDER: before the check, so that an event during the check starts another check.
    this.#wake = new AbortController();
    const { env, clock, onNote } = this.#options;
    const read = readHooks(env);
    const note = read.kind === "ok" ? null : `${read.trouble.what}; next: ${read.trouble.next}`;
    if (note !== null && note !== this.#lastNote) onNote(note);
    this.#lastNote = note;
    const hooks = [this.#desktop ?? [], read.kind === "ok" ? read.value : []].flat();
    if (hooks.length === 0) return [];
    const time = clock.monotonic();
    return [...this.#folders].flatMap(([root, folder]) => {
      if (folder.state === null) return [];
      const { offline, changes } = folder;
      const outage = offline === null ? null : { code: offline.code, ms: time - offline.since };
      const now = factsOf(root, folder.state, { offline: outage, changes: { ...changes } });
      return hooksFor(root, hooks, env).flatMap((hook) => this.#checkHook(hook, root, folder, now, time));
    });
  }

  /**
   * Runs a hook for its first event that is due. Returns the time at which its pending events are
   * due.
   */
  #checkHook(hook: Hook, root: string, folder: Folder, now: Facts, time: number): number[] {
    return EVENT_NAMES.flatMap((event) => {
      const debounce = hook.on.get(event);
      if (debounce === undefined || this.#running.has(hook.name)) return [];
      const name = `${hook.name} ${event}`;
      const before = folder.watched.get(name) ?? { baseline: folder.start ?? now, pending: null };
      const { due, items, ...watched } = watchEvent(before, now, { event, debounce, time });
      folder.watched.set(name, watched);
      if (due === null || due > time) return due ?? [];
      this.#start(hook, { event, items, before: before.baseline, now }, root, folder);
      return [];
    });
  }

  #start(hook: Hook, event: HookEvent, root: string, folder: Folder): void {
    const about = `the hook "${hook.name}" failed on ${event.event} of ${shellWord(root)}`;
    const { onNote } = this.#options;
    const ran = runHook(hook, event, root, this.#options, this.#killing.signal)
      .then((end) => {
        logEnd(folder.log, hook, event.event, end);
        if (end.kind === "done") return;
        onNote(`${about}: ${failureClause(end)}`);
        if (hook === this.#desktop) this.#desktop = null;
      })
      .catch((error: unknown) => onNote(`${about}: ${errnoClause(error)}`))
      .finally(() => {
        this.#running.delete(hook.name);
        this.#wake.abort();
      });
    this.#running.set(hook.name, ran);
  }
}

/** Takes an event of a folder. Returns true if the state may have changed. */
function updateFolder(folder: Folder, event: FolderEvent, now: number): boolean {
  const { offline } = folder;
  const unreached = (code: WaitReason) => ({ code, since: offline?.since ?? now });
  if (event.kind === "run") {
    const { state, attention, safetyStop, fault, counts } = event.report;
    folder.state = { state, attention, safetyStop };
    folder.offline = state === "offline" ? unreached(waitReasonOf(fault)) : null;
    const { blocked: _blocked, ...synced } = counts;
    for (const [name, count] of Object.entries(synced)) folder.changes[name] = (folder.changes[name] ?? 0) + count;
    return true;
  }
  if (event.kind !== "phase") return false;
  const { phase } = event;
  // During a scan the last known state stays.
  if (phase.kind === "waiting" && phase.why !== "paused") folder.offline = unreached(phase.why);
  else if (phase.kind === "idle" || phase.kind === "stopped") folder.offline = null;
  return true;
}

/** Logs how a hook ended. Leaves out the hook's output, which may contain anything. */
function logEnd(log: Log | null, { name }: Hook, action: EventName, end: HookEnd): void {
  const common = { what: name, action, ms: end.ms };
  if (end.kind === "done") return void log?.write("info", "hook", { ...common, outcome: "done" });
  const code = typeof end.code === "number" ? { status: end.code } : { code: end.code };
  log?.write("warn", "hook", { ...common, outcome: "failed", reason: end.reason, ...code });
}
